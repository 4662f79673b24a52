import type * as z from 'zod';
import { encodeGlobalId } from '../../../core/global-id.ts';
import type { Translation } from '../../../core/rest/route.ts';
import { parseUuid } from '../../../core/uuid.ts';
import { explainChange } from '../../envelope/explain-dataset-request.ts';
import type { uploadRequest } from './upload-parameters.ts';

/** An upload in GraphQL, as far as its form is known: the files go as multipart. */
export function explainUpload(form: z.output<typeof uploadRequest>): Translation {
  const { DatasetId = '', FileName = null, Width = null, Height = null } = form;
  const datasetId = parseUuid(DatasetId);
  const input = {
    datasetId: datasetId === undefined ? null : encodeGlobalId('Dataset', datasetId),
    fileName: FileName,
    ...(form.Path !== undefined && { path: form.Path }),
    image: null,
    idempotencyKey: form['Idempotency-Key'],
    ...(form.ImageId !== undefined && { imageUuid: form.ImageId }),
    ...(form.KeyNumber !== undefined && { keyNumber: form.KeyNumber }),
    ...(form.Proof !== undefined && { proof: form.Proof }),
    ...(form.ReplacesSha256 !== undefined && { replacesSha256: form.ReplacesSha256 }),
    ...(form.Thumbnail !== undefined && { thumbnail: null, width: Width, height: Height }),
  };
  return explainChange('addImage', input, {
    payload: 'AddImagePayload',
    selection: 'image { uuid width height }',
    notes: [
      'Send it as multipart (graphql-multipart-request-spec), which puts the file where image is null. But addImage is deprecated: files stay with this REST path, which streams.',
    ],
  });
}
