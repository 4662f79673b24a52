import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { connectionType } from '../../core/graphql/connections.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { onceADay, replayedByKey, onlyVersion } from '../../core/graphql/user-errors.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { pageBelow } from '../envelope/schema-page-below.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import {
  changeErrors,
  creationErrors,
  DeletePayload,
  PublishStatusEnum,
} from '../envelope/schema-errors.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { WorkspaceRef } from '../workspaces/schema.ts';
import { countDataset } from './count-dataset.ts';
import { createDataset } from './create-dataset.ts';
import { Dataset } from './dataset.ts';
import { deleteDataset } from './delete-dataset.ts';
import { pageDatasets, workspaceDatasets } from './list-datasets.ts';
import { loadDataset } from './load-dataset.ts';
import { publishDataset } from './publish-dataset.ts';
import { updateDataset } from './update-dataset.ts';

export const DatasetRef = builder.objectRef<Dataset>('Dataset');

builder.node(DatasetRef, {
  description: 'A set of images in a workspace. REST: DatasetInfo.',
  id: { resolve: (dataset) => dataset.id },
  isTypeOf: (value) => value instanceof Dataset,
  loadOne: (id, ctx) => loadDataset(signedIn(ctx), id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API. REST: id.' }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    description: t.exposeString('description', {
      description: 'Description, as plain text; may be empty. REST: description.',
    }),
    imagesCount: t.int({
      description: 'Number of its images. REST: imagesCount.',
      resolve: async ({ id }, _, ctx) => (await countDataset(signedIn(ctx), id)).images,
    }),
    projectsCount: t.int({
      description: 'Number of projects to which it is assigned. REST: projectsCount.',
      resolve: async ({ id }, _, ctx) => (await countDataset(signedIn(ctx), id)).projects,
    }),
    status: t.expose('status', {
      type: PublishStatusEnum,
      description: 'Whether it has been published, which freezes its images. REST: status.',
    }),
    version: t.exposeInt('version', {
      description: 'Number that increases with every change; send it as `expectedVersion`.',
    }),
    workspace: t.field({
      type: WorkspaceRef,
      description: 'Its workspace.',
      resolve: ({ workspaceId }, _, ctx) => requireWorkspace(signedIn(ctx), workspaceId),
    }),
  }),
});

export const { connection: DatasetConnection, edge: DatasetEdge } = connectionType(
  'Dataset',
  DatasetRef,
);

builder.objectField(WorkspaceRef, 'datasets', (t) =>
  t.connection(
    {
      type: DatasetRef,
      description: 'Its datasets, oldest first. REST: /api/Datasets.',
      resolve: pageBelow(pageDatasets),
    },
    DatasetConnection,
  ),
);

builder.queryField('dataset', (t) =>
  t.field({
    type: DatasetRef,
    nullable: true,
    description: 'The dataset with this id; null if it does not exist or you may not see it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id in the REST API.' }) },
    resolve: (_, { uuid }, ctx) => loadDataset(signedIn(ctx), uuid.toLowerCase()),
  }),
);

const text = {
  name: 'Name for display, 1 to 200 characters. REST: name.',
  description: 'Description, at most 10,000 characters; may be empty. REST: description.',
};
const CreateDatasetInput = mutationInput('CreateDatasetInput', {
  description: 'A new dataset.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of its workspace.' }),
    name: t.string({ required: true, description: text.name }),
    description: t.string({ required: true, description: text.description }),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});
const CreateDatasetPayload = mutationPayload<Created<Dataset>>('CreateDatasetPayload', {
  description: 'Result of creating a dataset, which is a draft.',
  fields: (t) => ({
    dataset: t.expose('created', { type: DatasetRef, description: 'The new dataset.' }),
    datasetEdge: t.field({
      type: DatasetEdge,
      description: 'The edge of the new row, to add to a list.',
      resolve: ({ created }, _, ctx) => ({
        node: created,
        cursor: cursorOf(workspaceDatasets(signedIn(ctx), created.workspaceId), created),
      }),
    }),
    replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
  }),
});
mutation('createDataset', {
  description: 'Creates a draft dataset. REST: POST /api/Datasets/create.',
  input: CreateDatasetInput,
  inputIs: 'The dataset.',
  payload: CreateDatasetPayload,
  failures: creationErrors,
  resolve: (input, ctx) =>
    createDataset(signedIn(ctx), {
      ...input,
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
});

const UpdateDatasetInput = mutationInput('UpdateDatasetInput', {
  description: 'A new name and description.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
    name: t.string({ required: true, description: text.name }),
    description: t.string({ required: true, description: text.description }),
    expectedVersion: t.int({ description: onlyVersion }),
  }),
});
const datasetPayload = (name: string, description: string) =>
  mutationPayload<{ dataset: Dataset }>(name, {
    description,
    fields: (t) => ({
      dataset: t.expose('dataset', {
        type: DatasetRef,
        description: 'The dataset as it is now.',
      }),
    }),
  });
mutation('updateDataset', {
  description: 'Changes name and description of a dataset. REST: POST /api/Datasets/update.',
  input: UpdateDatasetInput,
  inputIs: 'Dataset, name and description.',
  payload: datasetPayload('UpdateDatasetPayload', 'Result of updating a dataset.'),
  failures: [...changeErrors, ConflictError],
  resolve: async (input, ctx) => ({
    dataset: await updateDataset(signedIn(ctx), {
      ...input,
      datasetId: decodeId('Dataset', input.datasetId),
    }),
  }),
});

const DatasetIdInput = mutationInput('DatasetIdInput', {
  description: 'One dataset.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
  }),
});
mutation('publishDataset', {
  description:
    "Publishes a dataset, which freezes its images and can't be undone. REST: POST /api/Datasets/publish.",
  input: DatasetIdInput,
  inputIs: 'The dataset.',
  payload: datasetPayload('PublishDatasetPayload', 'Result of publishing a dataset.'),
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({
    dataset: await publishDataset(signedIn(ctx), {
      datasetId: decodeId('Dataset', input.datasetId),
    }),
  }),
});
mutation('deleteDataset', {
  description: 'Deletes a dataset. REST: POST /api/Datasets/delete.',
  input: DatasetIdInput,
  inputIs: 'The dataset.',
  payload: DeletePayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({
    deletedId: input.datasetId,
    undoToken: await deleteDataset(signedIn(ctx), {
      datasetId: decodeId('Dataset', input.datasetId),
    }),
  }),
});
