import * as z from 'zod';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { envelopeOf, envelopeShape, EXAMPLE_ID } from '../envelope/envelope-shapes.ts';
import { datasetRoute, deletionRoute, fileRoute } from '../envelope/present-envelope.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { explainChange } from '../envelope/explain-dataset-request.ts';
import { countParameter, idParameter } from '../envelope/input-parameters.ts';
import { deleteImage } from './delete-image.ts';
import { explainImage, explainImagePage } from './explain-images.ts';
import type { DatasetImage } from './image.ts';
import { listImages } from './list-images.ts';
import { requireImage } from './load-image.ts';
import { presentFile } from './present-file.ts';
import { uploadRoute } from './upload/rest.ts';
import { imagePage, presentImage } from './present-image.ts';

const download = {
  method: 'GET',
  request: z.object({ imageId: idParameter('query', 'The image.') }),
  errors: ['INVALID_ID', 'IMAGE_NOT_FOUND'],
  transfer: true,
} as const;

const encrypted = {
  'X-Content-Proof':
    'In an encrypted workspace: that a holder of the key put it here, and the SHA-256 of file and thumbnail, for which that is said. Left out without a proof.',
  'X-Content-Key': "Number of the workspace's key, in an encrypted workspace.",
  'X-Content-Encrypted': 'How the file is encrypted, in an encrypted workspace.',
};

export const imageRoutes: readonly Route[] = [
  datasetRoute({
    method: 'GET',
    path: '/api/Datasets/images',
    operation: 'listImages',
    summary: 'Lists the images of a dataset, page by page.',
    request: z.object({
      DatasetId: idParameter('query', 'The dataset.'),
      PageSize: countParameter('Images of a page.', {
        maximum: 1000,
        example: 100,
        code: 'INVALID_PAGE_SIZE',
      }),
      PageNumber: countParameter('From 1.', { example: 1, code: 'INVALID_PAGE_NUMBER' }),
    }),
    answer: jsonAnswer(
      envelopeShape('ImagePageEnvelope', 'PagedQueryResultDtoOfDatasetImageDto', imagePage),
      envelopeOf({
        pagesCount: 1,
        pageNumber: 1,
        totalCount: 1,
        data: [
          {
            id: EXAMPLE_ID,
            name: 'shelf.jpg',
            width: 4000,
            height: 3000,
            createdDate: '2026-11-20T12:00:00Z',
            hasAnnotations: false,
          },
        ],
      }),
    ),
    errors: ['INVALID_ID', 'INVALID_PAGE_SIZE', 'INVALID_PAGE_NUMBER', 'DATASET_NOT_FOUND'],
    run: async (ctx, { DatasetId: datasetId, PageSize: pageSize, PageNumber: pageNumber }) => {
      const { rows, ...page } = await listImages(ctx, { datasetId, pageSize, pageNumber });
      return { ...page, data: rows.map(presentImage) };
    },
    explain: explainImagePage,
  }),
  uploadRoute,
  deletionRoute({
    method: 'POST',
    path: '/api/Images/delete',
    operation: 'deleteImage',
    summary: 'Deletes an image.',
    request: z.object({ imageId: idParameter('body', 'The image.') }),
    errors: ['INVALID_ID', 'IMAGE_NOT_FOUND', 'DATASET_PUBLISHED', 'FORBIDDEN'],
    run: deleteImage,
    explain: (args) =>
      explainChange(
        'deleteImage',
        { imageId: encodeGlobalId('DatasetImage', args.imageId) },
        { payload: 'DeletePayload', selection: 'deletedId undoToken' },
      ),
  }),
  fileRoute({
    ...download,
    path: '/api/Images/download',
    operation: 'downloadImage',
    summary: 'Downloads an image as it was uploaded.',
    answer: {
      mediaTypes: ['image/*', 'application/octet-stream'],
      conditional: true,
      ranges: true,
      headers: encrypted,
    },
    run: async (ctx, { imageId }, request) => {
      const image = await requireImage(ctx, imageId);
      return presentFile(ctx, request, {
        of: `image ${image.id}`,
        bytes: image.bytes,
        contentType: image.mimeType ?? 'application/octet-stream',
        fileName: image.name,
        cacheControl: 'private, no-cache',
        headers: encryptionOf(image),
      });
    },
    explain: (args) => explainImage(args, 'name byteSize sha256 encrypted downloadUrl'),
  }),
  fileRoute({
    ...download,
    path: '/api/Images/downloadThumb',
    operation: 'downloadThumbnail',
    summary: 'Downloads the thumbnail of an image, 270 × 200.',
    answer: {
      mediaTypes: ['image/jpeg', 'application/octet-stream'],
      conditional: true,
      ranges: true,
      headers: encrypted,
    },
    run: async (ctx, { imageId }, request) => {
      const image = await requireImage(ctx, imageId);
      const contentType = image.mimeType === null ? 'application/octet-stream' : 'image/jpeg';
      return presentFile(ctx, request, {
        of: `the thumbnail of image ${image.id}`,
        bytes: image.thumbnail,
        contentType,
        fileName: `thumbnail-${image.id}.jpg`,
        // Ciphertext changes with the key.
        cacheControl:
          image.mimeType === null ? 'private, no-cache' : 'private, max-age=31536000, immutable',
        headers: encryptionOf(image),
      });
    },
    explain: (args) => explainImage(args, 'thumbnailUrl'),
  }),
];

function encryptionOf(image: DatasetImage): Record<string, string> {
  return image.mimeType === null
    ? {
        'x-content-encrypted': 'aes-256-cbc; iv=prefix',
        'x-content-key': String(image.keyNumber),
        ...(image.proof !== null && {
          'x-content-proof': `${image.proof} ${image.bytes.sha256} ${image.thumbnail.sha256}`,
        }),
      }
    : {};
}
