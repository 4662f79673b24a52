import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { DatasetRef } from '../datasets/schema.ts';
import { DatasetImage, isoInstant } from './image.ts';
import { findByPath } from './find-by-path.ts';
import { pageImages } from './page-images.ts';
import { loadImage } from './load-image.ts';

export const DatasetImageRef = builder.objectRef<DatasetImage>('DatasetImage');

builder.node(DatasetImageRef, {
  description: 'An image of a dataset. REST: DatasetImage.',
  id: { resolve: (image) => image.id },
  isTypeOf: (value) => value instanceof DatasetImage,
  loadOne: (id, ctx) => loadImage(signedIn(ctx), id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API. REST: id.' }),
    name: t.exposeString('name', { description: 'File name. REST: name.' }),
    path: t.exposeString('path', {
      nullable: true,
      description:
        'Where the file was below the folder that was uploaded, with slashes; null if it was uploaded without.',
    }),
    width: t.exposeInt('width', {
      description: 'Width of the upright image in pixels. REST: width.',
    }),
    height: t.exposeInt('height', {
      description: 'Height of the upright image in pixels. REST: height.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was uploaded. REST: createdDate.',
      resolve: ({ createdDate }) => isoInstant(createdDate),
    }),
    createdDate: t.field({
      type: 'DateTime',
      description: 'When it was uploaded.',
      deprecationReason: 'Use createdAt, which has the same value.',
      resolve: ({ createdDate }) => isoInstant(createdDate),
    }),
    hasAnnotations: t.exposeBoolean('hasAnnotations', {
      description:
        'Whether it has annotations in any project; in a deleted one, until they are removed after 30 days. REST: hasAnnotations.',
    }),
    encrypted: t.boolean({
      description: 'Whether the file is encrypted by the client.',
      resolve: ({ mimeType }) => mimeType === null,
    }),
    byteSize: t.field({
      type: 'SafeInt',
      description: 'Size of the file in bytes.',
      resolve: ({ bytes }) => bytes.byteSize,
    }),
    sha256: t.string({
      description: 'SHA-256 of the file, hexadecimal.',
      resolve: ({ bytes }) => bytes.sha256,
    }),
    keyNumber: t.int({
      nullable: true,
      description:
        "Number of the workspace's key under which file and thumbnail are encrypted; null if they are not.",
      resolve: ({ mimeType, keyNumber }) => (mimeType === null ? keyNumber : null),
    }),
    proof: t.exposeString('proof', {
      nullable: true,
      description:
        'That a holder of that key put this file and thumbnail here: base64, checked by trivium/e2ee; null if nobody has proved it.',
    }),
    downloadUrl: t.field({
      type: 'URL',
      description: 'URL of the file; requires the session. REST: /api/Images/download.',
      resolve: ({ id }, _, ctx) => `${ctx.baseUrl}/api/Images/download?imageId=${id}`,
    }),
    thumbnailUrl: t.field({
      type: 'URL',
      description:
        'URL of the thumbnail, 270 × 200; requires the session. REST: /api/Images/downloadThumb.',
      resolve: ({ id }, _, ctx) => `${ctx.baseUrl}/api/Images/downloadThumb?imageId=${id}`,
    }),
    dataset: t.field({
      type: DatasetRef,
      description: 'Its dataset.',
      resolve: ({ datasetId }, _, ctx) => requireDataset(signedIn(ctx), datasetId),
    }),
  }),
});

export const { connection: DatasetImageConnection, edge: DatasetImageEdge } = connectionType(
  'DatasetImage',
  DatasetImageRef,
);

export const ReviewStateEnum = builder.enumType('ReviewState', {
  description: 'State of an image in a project.',
  values: {
    NONE: { description: 'It has not been annotated yet.' },
    ANNOTATED: { description: 'It is marked as annotated, possibly without annotations.' },
    ACCEPTED: { description: 'Its annotations are accepted.' },
    REJECTED: { description: 'Its annotations are rejected.' },
  } as const,
});
const ImageFilterInput = builder.inputType('ImageFilterInput', {
  description: 'Images by the work on them in a project. Conditions that are given must all hold.',
  fields: (t) => ({
    projectId: t.id({
      required: true,
      description: 'Global id of a project of the dataset; there are no images for another one.',
    }),
    state: t.field({
      type: ReviewStateEnum,
      description: 'The state; NONE for images that nobody has annotated.',
    }),
    className: t.string({ description: 'Name of a class of which they have an annotation.' }),
    annotator: t.string({ description: 'Login of who changed their annotations last.' }),
    assignee: t.string({ description: 'Login of the member to whom they are assigned.' }),
  }),
});

builder.objectField(DatasetRef, 'images', (t) =>
  t.connection(
    {
      type: DatasetImageRef,
      description: 'Its images, oldest first. REST: /api/Datasets/images.',
      args: {
        hasAnnotations: t.arg.boolean({
          description:
            'Images with annotations only (true), or without (false), as their `hasAnnotations` says; by default all.',
        }),
        filter: t.arg({ type: ImageFilterInput, description: 'By the work on them in a project.' }),
      },
      resolve: ({ id }, { hasAnnotations, filter, ...args }, ctx) =>
        relayPage(
          pageImages(signedIn(ctx), {
            parent: id,
            hasAnnotations,
            filter: filter
              ? { ...filter, projectId: decodeId('Project', filter.projectId) }
              : undefined,
            page: pageFromConnectionArgs(args, 10),
          }),
        ),
    },
    DatasetImageConnection,
  ),
);

builder.objectField(DatasetRef, 'imageByPath', (t) =>
  t.field({
    type: DatasetImageRef,
    nullable: true,
    description: 'Its image that was uploaded under this path; null if there is none.',
    args: { path: t.arg.string({ required: true, description: 'Relative, with slashes.' }) },
    resolve: ({ id: datasetId }, { path }, ctx) => findByPath(signedIn(ctx), { datasetId, path }),
  }),
);

builder.queryField('image', (t) =>
  t.field({
    type: DatasetImageRef,
    nullable: true,
    description: 'The image with this id; null if it does not exist or you may not see it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id in the REST API.' }) },
    resolve: (_, { uuid }, ctx) => loadImage(signedIn(ctx), uuid.toLowerCase()),
  }),
);
