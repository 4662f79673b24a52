import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import type { Created } from '../content/create-once.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import { creationErrors } from '../envelope/schema-errors.ts';
import { addImage } from './upload/add-image.ts';
import { findDuplicate } from './find-duplicate.ts';
import type { DatasetImage } from './image.ts';
import { datasetImages } from './list-images.ts';
import { requireImage } from './load-image.ts';
import { receiveFile } from './upload/receive-upload.ts';
import { DatasetImageEdge, DatasetImageRef } from './schema.ts';

/** What is used of a file; the server's own class for it is not the global one. */
interface UploadedFile {
  arrayBuffer(): Promise<ArrayBuffer>;
}

builder.scalarType('Upload', {
  description:
    'A file in a multipart request (graphql-multipart-request-spec). Like every GraphQL request, it may have at most 1 MiB in total, and 50 parts. Only the deprecated addImage takes it: use POST /api/Images/addImage.',
  serialize: () => {
    throw new TypeError('Upload is for input only');
  },
  parseValue: (value) => {
    if (isFile(value)) return value;
    throw new TypeError('Expected a file of a multipart request');
  },
});

const AddImageInput = mutationInput('AddImageInput', {
  description: 'An image for a dataset.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
    fileName: t.string({
      required: true,
      description:
        'Name of the file, 1 to 255 characters; a path in front of it is dropped. REST: FileName.',
    }),
    path: t.string({
      description:
        'Where the file is below the folder that is uploaded, relative, with slashes, at most 1024 bytes. Only one image of a dataset has it: with the same bytes again it is that image, with others the input is refused. REST: Path.',
    }),
    image: t.field({
      type: 'Upload',
      required: true,
      description: 'The file; encrypted in an encrypted workspace. REST: Image.',
    }),
    thumbnail: t.field({
      type: 'Upload',
      description:
        'The thumbnail, 270 × 200 pixels and encrypted: required in an encrypted workspace, ignored in others. REST: Thumbnail.',
    }),
    width: t.int({
      description:
        'Width of the original image in pixels: required in an encrypted workspace, ignored in others. REST: Width.',
    }),
    height: t.int({
      description:
        'Height of the original image in pixels: required in an encrypted workspace, ignored in others. REST: Height.',
    }),
    imageUuid: t.field({
      type: 'UUID',
      description:
        'Encrypted workspaces: id of the new image, chosen by the client, because the proof names it. REST: ImageId.',
    }),
    keyNumber: t.int({
      description:
        'Encrypted workspaces: number of the key, from verifyWorkspaceKey; required once the workspace has changed its key. REST: KeyNumber.',
    }),
    proof: t.string({
      description:
        'Encrypted workspaces: that a holder of the key made the image; trivium/e2ee makes it. Base64, 44 characters. REST: Proof.',
    }),
    replacesSha256: t.string({
      description:
        'Encrypted workspaces that change their key: this is the image imageUuid under the new key, and replaces the bytes with this SHA-256. REST: ReplacesSha256.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});
const AddImagePayload = mutationPayload<Created<DatasetImage>>('AddImagePayload', {
  description: 'Result of adding an image.',
  fields: (t) => ({
    image: t.expose('created', { type: DatasetImageRef, description: 'The new image.' }),
    imageEdge: t.field({
      type: DatasetImageEdge,
      description: 'The edge of the new row, to add to a list.',
      resolve: ({ created }, _, ctx) => ({
        node: created,
        cursor: cursorOf(datasetImages(signedIn(ctx), created), created),
      }),
    }),
    duplicateOf: t.field({
      type: DatasetImageRef,
      nullable: true,
      description: 'An older image of the dataset with the same bytes; null if there is none.',
      resolve: ({ created }, _, ctx) => findDuplicate(signedIn(ctx), created),
    }),
    replayed: t.exposeBoolean('replayed', {
      description: `${replayedByKey} Also true when the path with the same bytes was there already.`,
    }),
  }),
});
mutation('addImage', {
  description: 'Adds an image to a draft dataset. REST: POST /api/Images/addImage.',
  deprecationReason:
    'Use POST /api/Images/addImage, which streams files up to MAX_IMAGE_BYTES. GraphQL holds them in memory, and takes 1 MiB.',
  input: AddImageInput,
  inputIs: 'Dataset and file.',
  payload: AddImagePayload,
  failures: [...creationErrors, EncryptionError],
  resolve: async (input, ctx) => {
    const caller = signedIn(ctx);
    const datasetId = decodeId('Dataset', input.datasetId);
    const thumbnail = input.thumbnail
      ? await receiveFile(caller, readBlob(input.thumbnail))
      : undefined;
    const image = await receiveFile(caller, readBlob(input.image)).catch(async (error: unknown) => {
      await thumbnail?.discard();
      throw error;
    });
    const { fileName, path, width, height, idempotencyKey } = input;
    const { answer, replayed } = await addImage(caller, {
      datasetId,
      fileName,
      path,
      image,
      thumbnail,
      width: width ?? undefined,
      height: height ?? undefined,
      encryption: {
        imageId: input.imageUuid ?? undefined,
        keyNumber: input.keyNumber ?? undefined,
        proof: input.proof ?? undefined,
        replacesSha256: input.replacesSha256 ?? undefined,
      },
      idempotencyKey,
    });
    return { created: await requireImage(caller, answer), replayed };
  },
});

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
