import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs, connectionType } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { DatasetRef } from '../datasets/schema.ts';
import { DatasetImage, isoInstant } from './image.ts';
import { pageImages } from './list-images.ts';
import { loadImage } from './load-image.ts';

export const DatasetImageRef = builder.objectRef<DatasetImage>('DatasetImage');

builder.node(DatasetImageRef, {
  description: 'An image. REST: DatasetImage.',
  id: { resolve: (image) => image.id, description: 'Opaque global id.' },
  isTypeOf: (value) => value instanceof DatasetImage,
  loadOne: (id, ctx) => loadImage(ctx, id),
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'Id of the REST paths. REST: id.',
      resolve: ({ id }) => id,
    }),
    name: t.exposeString('name', { description: 'File name. REST: name.' }),
    width: t.exposeInt('width', { description: 'Upright width. REST: width.' }),
    height: t.exposeInt('height', { description: 'Upright height. REST: height.' }),
    createdDate: t.field({
      type: 'DateTime',
      description: 'REST: createdDate.',
      resolve: ({ createdDate }) => isoInstant(createdDate),
    }),
    hasAnnotations: t.exposeBoolean('hasAnnotations', { description: 'REST: hasAnnotations.' }),
    encrypted: t.boolean({
      description: 'It is ciphertext.',
      resolve: ({ mimeType }) => mimeType === null,
    }),
    byteSize: t.field({
      type: 'SafeInt',
      description: 'Length of the file in bytes.',
      resolve: ({ bytes }) => bytes.byteSize,
    }),
    sha256: t.string({
      description: 'SHA-256 of the file, hexadecimal.',
      resolve: ({ bytes }) => bytes.sha256,
    }),
    downloadUrl: t.field({
      type: 'URL',
      description: 'Where the file is; asks for the session. REST: /api/Images/download.',
      resolve: ({ id }, _, ctx) => `${ctx.baseUrl}/api/Images/download?imageId=${id}`,
    }),
    thumbnailUrl: t.field({
      type: 'URL',
      description:
        'Where the thumbnail is, 270 × 200; asks for the session. REST: /api/Images/downloadThumb.',
      resolve: ({ id }, _, ctx) => `${ctx.baseUrl}/api/Images/downloadThumb?imageId=${id}`,
    }),
    dataset: t.field({
      type: DatasetRef,
      description: 'The dataset that it belongs to.',
      resolve: ({ datasetId }, _, ctx) => requireDataset(ctx, datasetId),
    }),
  }),
});

export const { connection: DatasetImageConnection, edge: DatasetImageEdge } = connectionType(
  'DatasetImage',
  DatasetImageRef,
);

builder.objectField(DatasetRef, 'images', (t) =>
  t.field({
    type: DatasetImageConnection,
    description: 'Its images, oldest first. REST: /api/Datasets/images.',
    args: {
      ...connectionArgs,
      hasAnnotations: t.arg.boolean({ description: 'Only those with, or without, annotations.' }),
    },
    resolve: ({ id }, { hasAnnotations, ...args }, ctx) =>
      pageImages(ctx, { datasetId: id, hasAnnotations, page: pageFromConnectionArgs(args, 10) }),
  }),
);

builder.queryField('image', (t) =>
  t.field({
    type: DatasetImageRef,
    nullable: true,
    description: 'The image with this id; null when there is none that you may see.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id that REST uses.' }) },
    resolve: (_, { uuid }, ctx) => loadImage(ctx, uuid.toLowerCase()),
  }),
);
