import { signedIn } from '../../auth/guards.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { builder } from '../../core/graphql/builder.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import {
  asSent,
  creationErrors,
  DeletePayload,
  returnedAsSent,
} from '../envelope/schema-errors.ts';
import { createVersion } from './create-version.ts';
import type { DatasetVersion } from './dataset-version.ts';
import { deleteVersion } from './delete-version.ts';
import { DatasetVersionRef } from './schema.ts';

const CreateDatasetVersionInput = builder.inputType('CreateDatasetVersionInput', {
  description: 'What to freeze.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
    name: t.string({ description: 'Name for display, at most 200 characters.' }),
    notes: t.string({ description: 'What it is for, at most 10,000 characters.' }),
    projectId: t.id({
      description:
        'Global id of a project to which the dataset is assigned: only its annotations are frozen. By default those of all projects to which the dataset is assigned.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const CreateDatasetVersionPayload = builder
  .objectRef<Created<DatasetVersion> & { clientMutationId: string | null | undefined }>(
    'CreateDatasetVersionPayload',
  )
  .implement({
    description: 'Result of creating a version.',
    fields: (t) => ({
      version: t.expose('created', {
        type: DatasetVersionRef,
        description:
          'The new version: READY if that took less than about five seconds, else FREEZING: read it with node(id) until it is READY.',
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('createDatasetVersion', (t) =>
  t.field({
    type: CreateDatasetVersionPayload,
    description:
      'Freezes the images of a dataset and their annotations under the next number. What has not changed since the version before is not stored again. Uploads and annotations go on meanwhile: the version shows one instant, `frozenAt`.',
    errors: {
      types: creationErrors,
      union: {
        name: 'CreateDatasetVersionResult',
        description: 'Outcome of createDatasetVersion.',
      },
    },
    args: {
      input: t.arg({
        type: CreateDatasetVersionInput,
        required: true,
        description: 'Dataset, name and notes.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      ...(await createVersion(signedIn(ctx), {
        ...input,
        datasetId: decodeId('Dataset', input.datasetId),
        projectId: input.projectId == null ? undefined : decodeId('Project', input.projectId),
      })),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const DeleteDatasetVersionInput = builder.inputType('DeleteDatasetVersionInput', {
  description: 'The version to delete.',
  fields: (t) => ({
    versionId: t.id({ required: true, description: 'Global id of the version.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('deleteDatasetVersion', (t) =>
  t.field({
    type: DeletePayload,
    description:
      'Deletes a version of a dataset. What no other version holds is removed after 30 days.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: {
        name: 'DeleteDatasetVersionResult',
        description: 'Outcome of deleteDatasetVersion.',
      },
    },
    args: {
      input: t.arg({
        type: DeleteDatasetVersionInput,
        required: true,
        description: 'The version.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      deletedId: input.versionId,
      undoToken: await deleteVersion(signedIn(ctx), {
        versionId: decodeId('DatasetVersion', input.versionId),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
