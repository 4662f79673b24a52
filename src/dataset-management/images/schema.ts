import { Readable } from 'node:stream';
import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs, connectionType } from '../../core/graphql/connections.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { DatasetRef } from '../datasets/schema.ts';
import type { Created } from '../content/create-once.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import {
  asSent,
  creationErrors,
  DeletePayload,
  returnedAsSent,
} from '../envelope/schema-errors.ts';
import { addImage } from './upload/add-image.ts';
import { deleteImage } from './delete-image.ts';
import { findDuplicate } from './find-duplicate.ts';
import { DatasetImage, isoInstant } from './image.ts';
import { datasetImages, pageImages } from './list-images.ts';
import { loadImage, requireImage } from './load-image.ts';
import { receiveFile } from './upload/receive-upload.ts';
import { undoDelete } from './undo-delete.ts';

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

/** What is used of a file; the server's own class for it is not the global one. */
interface UploadedFile {
  arrayBuffer(): Promise<ArrayBuffer>;
}

builder.scalarType('Upload', {
  description:
    'A file in a multipart request (graphql-multipart-request-spec) of at most 1 MiB in all, as for every GraphQL request. Larger files go to POST /api/Images/addImage, which streams them.',
  serialize: () => {
    throw new TypeError('Upload is for input only');
  },
  parseValue: (value) => {
    if (isFile(value)) return value;
    throw new TypeError('Expected a file of a multipart request');
  },
});

const AddImageInput = builder.inputType('AddImageInput', {
  description: 'An image for a dataset.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
    fileName: t.string({ required: true, description: 'REST: FileName.' }),
    image: t.field({
      type: 'Upload',
      required: true,
      description: 'The file; encrypted in an encrypted workspace.',
    }),
    thumbnail: t.field({
      type: 'Upload',
      description: 'Encrypted workspaces only: 270 × 200, encrypted.',
    }),
    width: t.int({ description: 'Encrypted workspaces only: original width.' }),
    height: t.int({ description: 'Encrypted workspaces only: original height.' }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const AddImagePayload = builder
  .objectRef<Created<DatasetImage> & { clientMutationId: string | null | undefined }>(
    'AddImagePayload',
  )
  .implement({
    description: 'The image is there.',
    fields: (t) => ({
      image: t.expose('created', { type: DatasetImageRef, description: 'The new image.' }),
      imageEdge: t.field({
        type: DatasetImageEdge,
        description: 'Its place in the list.',
        resolve: ({ created }, _, ctx) => ({
          node: created,
          cursor: cursorOf(datasetImages(ctx, created), created),
        }),
      }),
      duplicateOf: t.field({
        type: DatasetImageRef,
        nullable: true,
        description: 'An older image of the dataset with the same bytes.',
        resolve: ({ created }, _, ctx) => findDuplicate(ctx, created),
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('addImage', (t) =>
  t.field({
    type: AddImagePayload,
    description: 'Adds an image. REST: POST /api/Images/addImage.',
    errors: {
      types: [...creationErrors, EncryptionError],
      union: { name: 'AddImageResult', description: 'Outcome of addImage.' },
    },
    args: {
      input: t.arg({ type: AddImageInput, required: true, description: 'Dataset and file.' }),
    },
    resolve: async (_, { input }, ctx) => {
      const datasetId = decodeId('Dataset', input.datasetId);
      const thumbnail = input.thumbnail
        ? await receiveFile(ctx, Readable.from(readBlob(input.thumbnail)))
        : undefined;
      const image = await receiveFile(ctx, Readable.from(readBlob(input.image))).catch(
        async (error: unknown) => {
          await thumbnail?.discard();
          throw error;
        },
      );
      const { fileName, width, height, idempotencyKey, clientMutationId } = input;
      const { answer, replayed } = await addImage(ctx, {
        datasetId,
        fileName,
        image,
        thumbnail,
        width: width ?? undefined,
        height: height ?? undefined,
        idempotencyKey,
      });
      return { created: await requireImage(ctx, answer), replayed, clientMutationId };
    },
  }),
);

function isFile(value: unknown): value is UploadedFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'arrayBuffer' in value &&
    typeof value.arrayBuffer === 'function'
  );
}

async function* readBlob(blob: UploadedFile): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await blob.arrayBuffer());
}

const DeleteImageInput = builder.inputType('DeleteImageInput', {
  description: 'One image.',
  fields: (t) => ({
    imageId: t.id({ required: true, description: 'Global id of the image.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('deleteImage', (t) =>
  t.field({
    type: DeletePayload,
    description: 'Deletes an image of a draft dataset. REST: POST /api/Images/delete.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'DeleteImageResult', description: 'Outcome of deleteImage.' },
    },
    args: { input: t.arg({ type: DeleteImageInput, required: true, description: 'The image.' }) },
    resolve: async (_, { input }, ctx) => ({
      deletedId: input.imageId,
      undoToken: await deleteImage(ctx, {
        imageId: decodeId('DatasetImage', input.imageId, 'Image'),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const UndoDeleteInput = builder.inputType('UndoDeleteInput', {
  description: 'A deletion.',
  fields: (t) => ({
    undoToken: t.string({ required: true, description: 'What the deletion gave.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const UndoDeletePayload = builder
  .objectRef<{ restoredId: string; clientMutationId: string | null | undefined }>(
    'UndoDeletePayload',
  )
  .implement({
    description: 'It is back.',
    fields: (t) => ({
      restoredId: t.exposeID('restoredId', { description: 'Global id of what is back.' }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
const typenames = { workspace: 'Workspace', dataset: 'Dataset', image: 'DatasetImage' };
builder.mutationField('undoDelete', (t) =>
  t.field({
    type: UndoDeletePayload,
    description: 'Brings back a workspace, dataset or image that was deleted in the last 30 days.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'UndoDeleteResult', description: 'Outcome of undoDelete.' },
    },
    args: { input: t.arg({ type: UndoDeleteInput, required: true, description: 'The deletion.' }) },
    resolve: async (_, { input }, ctx) => {
      const { kind, id } = await undoDelete(ctx, input);
      return {
        restoredId: encodeGlobalId(typenames[kind], id),
        clientMutationId: input.clientMutationId,
      };
    },
  }),
);
