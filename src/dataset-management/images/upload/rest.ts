import { jsonAnswer, type Route } from '../../../core/rest/route.ts';
import { envelopeOf, EXAMPLE_ID, guidEnvelope } from '../../envelope/envelope-shapes.ts';
import { fileRoute, presentData } from '../../envelope/present-envelope.ts';
import { noParameters } from '../../envelope/input-parameters.ts';
import { addImage } from './add-image.ts';
import { receiveUpload } from './receive-upload.ts';
import { explainUpload } from './explain-upload.ts';

/** The path that takes an image in. */
export const uploadRoute: Route = fileRoute({
  method: 'POST',
  path: '/api/Images/addImage',
  operation: 'addImage',
  summary:
    'Uploads an image and returns its id. multipart/form-data: Image, FileName, DatasetId; in encrypted workspaces also Thumbnail, Width, Height.',
  request: noParameters,
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      description: 'The same upload with the same key adds no second image for 24 hours.',
      example: 'photo-4711',
    },
    {
      name: 'DatasetId',
      in: 'body',
      required: true,
      schema: { type: 'string', format: 'uuid' },
      description: 'The dataset.',
    },
    {
      name: 'FileName',
      in: 'body',
      required: true,
      schema: { type: 'string' },
      description: 'Name of the file.',
    },
    {
      name: 'Image',
      in: 'body',
      required: true,
      schema: { type: 'string', format: 'binary' },
      description: 'The file; encrypted in an encrypted workspace.',
    },
    {
      name: 'Thumbnail',
      in: 'body',
      schema: { type: 'string', format: 'binary' },
      description: 'Encrypted workspaces: 270 × 200, encrypted.',
    },
    {
      name: 'Width',
      in: 'body',
      schema: { type: 'integer', minimum: 1 },
      description: 'Encrypted workspaces: width of the original.',
    },
    {
      name: 'Height',
      in: 'body',
      schema: { type: 'integer', minimum: 1 },
      description: 'Encrypted workspaces: height of the original.',
    },
  ],
  body: { mediaTypes: ['multipart/form-data'] },
  answer: jsonAnswer(guidEnvelope, envelopeOf(EXAMPLE_ID), {
    headers: { 'Idempotent-Replayed': 'true when the key came before.' },
  }),
  errors: [
    'INVALID_ID',
    'IMAGE_REQUIRED',
    'FILE_NAME_REQUIRED',
    'INVALID_IMAGE',
    'IMAGE_TOO_LARGE',
    'UNSUPPORTED_IMAGE_TYPE',
    'THUMBNAIL_REQUIRED',
    'DIMENSIONS_REQUIRED',
    'NOT_ENCRYPTED_PAYLOAD',
    'DATASET_NOT_FOUND',
    'DATASET_PUBLISHED',
    'FORBIDDEN',
    'VALIDATION_ERROR',
  ],
  transfer: true,
  run: async (ctx, _, request) => {
    const { fields, files } = await receiveUpload(
      ctx,
      request.headers['content-type'] ?? '',
      request.stream,
    );
    request.noteFields([...fields.keys(), ...files.keys()]);
    const number = (name: string): number | undefined =>
      /^\s*\d{1,9}\s*$/.test(fields.get(name) ?? '') ? Number(fields.get(name)) : undefined;
    const key = request.headers['idempotency-key'];
    const { answer, replayed } = await addImage(ctx, {
      datasetId: fields.get('datasetid'),
      fileName: fields.get('filename'),
      image: files.get('image'),
      thumbnail: files.get('thumbnail'),
      width: number('width'),
      height: number('height'),
      idempotencyKey: typeof key === 'string' ? key : undefined,
    });
    return presentData(answer, replayed ? { 'idempotent-replayed': 'true' } : {});
  },
  explain: (_, request) => explainUpload(request),
});
