import { signedIn } from '../../auth/guards.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { creationErrors, DeletePayload } from '../envelope/schema-errors.ts';
import { createVersion } from './create-version.ts';
import type { DatasetVersion } from './dataset-version.ts';
import { deleteVersion } from './delete-version.ts';
import { DatasetVersionRef } from './schema.ts';

const CreateDatasetVersionInput = mutationInput('CreateDatasetVersionInput', {
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
  }),
});
const CreateDatasetVersionPayload = mutationPayload<Created<DatasetVersion>>(
  'CreateDatasetVersionPayload',
  {
    description: 'Result of creating a version.',
    fields: (t) => ({
      version: t.expose('created', {
        type: DatasetVersionRef,
        description:
          'The new version: READY if that took less than about five seconds, else FREEZING: read it with node(id) until it is READY.',
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
    }),
  },
);
mutation('createDatasetVersion', {
  description:
    'Freezes the images of a dataset and their annotations under the next number. What has not changed since the version before is not stored again. Uploads and annotations go on meanwhile: the version shows one instant, `frozenAt`.',
  input: CreateDatasetVersionInput,
  inputIs: 'Dataset, name and notes.',
  payload: CreateDatasetVersionPayload,
  failures: creationErrors,
  resolve: (input, ctx) =>
    createVersion(signedIn(ctx), {
      ...input,
      datasetId: decodeId('Dataset', input.datasetId),
      projectId: input.projectId == null ? undefined : decodeId('Project', input.projectId),
    }),
});

const DeleteDatasetVersionInput = mutationInput('DeleteDatasetVersionInput', {
  description: 'The version to delete.',
  fields: (t) => ({
    versionId: t.id({ required: true, description: 'Global id of the version.' }),
  }),
});
mutation('deleteDatasetVersion', {
  description:
    'Deletes a version of a dataset. What no other version holds is removed after 30 days.',
  input: DeleteDatasetVersionInput,
  inputIs: 'The version.',
  payload: DeletePayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({
    deletedId: input.versionId,
    undoToken: await deleteVersion(signedIn(ctx), {
      versionId: decodeId('DatasetVersion', input.versionId),
    }),
  }),
});
