import { jsonAnswer, type Route } from '../../../core/rest/route.ts';
import { envelopeOf, EXAMPLE_ID, guidEnvelope } from '../../envelope/envelope-shapes.ts';
import { fileRoute } from '../../envelope/present-envelope.ts';
import { presentData } from '../../envelope/present-failure.ts';
import { addImage } from './add-image.ts';
import { receiveUpload } from './receive-upload.ts';
import { explainUpload } from './explain-upload.ts';
import { uploadRequest } from './upload-parameters.ts';

/** The path that takes an image in. */
export const uploadRoute: Route = fileRoute({
  method: 'POST',
  path: '/api/Images/addImage',
  operation: 'addImage',
  summary:
    'Uploads an image and returns its id. multipart/form-data: Image, FileName, DatasetId; Path if it keeps its place in a folder; in encrypted workspaces also Thumbnail, Width, Height.',
  request: uploadRequest,
  body: { mediaTypes: ['multipart/form-data'] },
  answer: jsonAnswer(guidEnvelope, envelopeOf(EXAMPLE_ID), {
    headers: {
      'Idempotent-Replayed': 'true when the key, or the path with the same bytes, came before.',
    },
  }),
  errors: [
    'INVALID_ID',
    'INVALID_PATH',
    'PATH_TAKEN',
    'IMAGE_REQUIRED',
    'FILE_NAME_REQUIRED',
    'NAME_TOO_LONG',
    'INVALID_IMAGE',
    'IMAGE_TOO_LARGE',
    'UNSUPPORTED_IMAGE_TYPE',
    'THUMBNAIL_REQUIRED',
    'DIMENSIONS_REQUIRED',
    'NOT_ENCRYPTED_PAYLOAD',
    'WRONG_KEY_NUMBER',
    'NO_ROTATION',
    'IMAGE_CHANGED',
    'IMAGE_NOT_FOUND',
    'DATASET_NOT_FOUND',
    'DATASET_PUBLISHED',
    'FORBIDDEN',
    'VALIDATION_ERROR',
  ],
  transfer: true,
  receive: receiveUpload,
  run: async (ctx, form) => {
    const { answer, replayed } = await addImage(ctx, {
      datasetId: form.DatasetId,
      fileName: form.FileName,
      path: form.Path,
      image: form.Image ?? undefined,
      thumbnail: form.Thumbnail ?? undefined,
      width: form.Width,
      height: form.Height,
      encryption: {
        imageId: form.ImageId,
        keyNumber: form.KeyNumber,
        proof: form.Proof,
        replacesSha256: form.ReplacesSha256,
      },
      idempotencyKey: form['Idempotency-Key'],
    });
    return presentData(answer, replayed ? { 'idempotent-replayed': 'true' } : {});
  },
  explain: explainUpload,
});
