import type { SignedInContext } from '../../core/context/context.ts';
import * as z from 'zod';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { envelopeOf, envelopeShape, EXAMPLE_ID } from '../envelope/envelope-shapes.ts';
import {
  creationRoute,
  datasetRoute,
  deletionRoute,
  listRoute,
} from '../envelope/present-envelope.ts';
import { presentRows } from '../envelope/present-rows.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import {
  allRows,
  explainChange,
  nullInGraphQL,
  pagedInGraphQL,
} from '../envelope/explain-dataset-request.ts';
import {
  emptyTextParameter,
  idempotencyKey,
  idParameter,
  textParameter,
} from '../envelope/input-parameters.ts';
import { countDataset } from './count-dataset.ts';
import { createDataset } from './create-dataset.ts';
import { presentStatus, type Dataset } from './dataset.ts';
import { deleteDataset } from './delete-dataset.ts';
import { listDatasets } from './list-datasets.ts';
import { publishDataset } from './publish-dataset.ts';
import { updateDataset } from './update-dataset.ts';

const workspaceId = (where: 'query' | 'body'): z.ZodType<string> =>
  idParameter(where, 'The workspace.', 'WORKSPACE_ID_REQUIRED');
const datasetId = idParameter('body', 'The dataset.');
const once = idempotencyKey(
  'The same dataset with the same key is created once in 24 hours.',
  'dataset-1',
);
const text = {
  name: emptyTextParameter('Name.', { minLength: 1, maxLength: 200, example: 'Shelves' }),
  description: textParameter('Description.', { maxLength: 10_000, example: 'Front views' }),
};

const count = z.int().meta({ format: 'int32' });

const datasetInfo = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    imagesCount: count,
    projectsCount: count,
    status: z.enum(['Draft', 'Published']),
  })
  .meta({ id: 'DatasetInfo' });

export const datasetRoutes: readonly Route[] = [
  listRoute({
    method: 'GET',
    path: '/api/Datasets',
    operation: 'listDatasets',
    summary: 'Lists the datasets of a workspace.',
    request: z.object({ workspaceId: workspaceId('query') }),
    answer: jsonAnswer(
      envelopeShape('DatasetListEnvelope', 'DatasetInfoDtos', z.array(datasetInfo)),
      envelopeOf([
        {
          id: EXAMPLE_ID,
          name: 'Shelves',
          description: 'Front views',
          imagesCount: 12,
          projectsCount: 1,
          status: 'Draft' as const,
        },
      ]),
    ),
    errors: ['WORKSPACE_ID_REQUIRED', 'INVALID_ID', 'WORKSPACE_NOT_FOUND'],
    run: async (ctx, args) =>
      presentRows(listDatasets(ctx, args), (dataset) => presentDataset(ctx, dataset)),
    explain: (args) => ({
      steps: [
        { field: 'workspace', args: { uuid: args.workspaceId } },
        { field: 'datasets', args: allRows },
      ],
      select:
        'nodes { uuid name description imagesCount projectsCount status } pageInfo { hasNextPage endCursor }',
      notes: [pagedInGraphQL, nullInGraphQL],
    }),
  }),
  creationRoute({
    method: 'POST',
    path: '/api/Datasets/create',
    operation: 'createDataset',
    summary: 'Creates a dataset and returns its id.',
    request: z.object({ 'Idempotency-Key': once, workspaceId: workspaceId('body'), ...text }),
    errors: [
      'WORKSPACE_ID_REQUIRED',
      'INVALID_ID',
      'NAME_REQUIRED',
      'NAME_TOO_LONG',
      'VALIDATION_ERROR',
      'WORKSPACE_NOT_FOUND',
      'FORBIDDEN',
    ],
    run: (ctx, { 'Idempotency-Key': key, ...args }) =>
      createDataset(ctx, { ...args, idempotencyKey: key }),
    explain: ({ 'Idempotency-Key': key, ...args }) =>
      explainChange(
        'createDataset',
        {
          ...args,
          workspaceId: encodeGlobalId('Workspace', args.workspaceId),
          idempotencyKey: key,
        },
        { payload: 'CreateDatasetPayload', selection: 'dataset { id uuid }' },
      ),
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Datasets/update',
    operation: 'updateDataset',
    summary: 'Gives a dataset a new name and description.',
    request: z.object({ datasetId, ...text }),
    errors: [
      'INVALID_ID',
      'NAME_REQUIRED',
      'NAME_TOO_LONG',
      'VALIDATION_ERROR',
      'DATASET_NOT_FOUND',
      'FORBIDDEN',
    ],
    run: async (ctx, args) => void (await updateDataset(ctx, args)),
    explain: (args) =>
      explainChange(
        'updateDataset',
        { ...args, datasetId: encodeGlobalId('Dataset', args.datasetId) },
        { payload: 'UpdateDatasetPayload', selection: 'dataset { uuid name description version }' },
      ),
  }),
  deletionRoute({
    method: 'POST',
    path: '/api/Datasets/delete',
    operation: 'deleteDataset',
    summary: 'Deletes a dataset.',
    request: z.object({ datasetId }),
    errors: ['INVALID_ID', 'DATASET_NOT_FOUND', 'FORBIDDEN'],
    run: deleteDataset,
    explain: (args) =>
      explainChange(
        'deleteDataset',
        { datasetId: encodeGlobalId('Dataset', args.datasetId) },
        { payload: 'DeletePayload', selection: 'deletedId undoToken' },
      ),
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Datasets/publish',
    operation: 'publishDataset',
    summary: 'Publishes a dataset, which freezes its images.',
    request: z.object({ datasetId }),
    errors: ['INVALID_ID', 'DATASET_NOT_FOUND', 'FORBIDDEN'],
    run: async (ctx, args) => void (await publishDataset(ctx, args)),
    explain: (args) =>
      explainChange(
        'publishDataset',
        { datasetId: encodeGlobalId('Dataset', args.datasetId) },
        { payload: 'PublishDatasetPayload', selection: 'dataset { uuid status }' },
      ),
  }),
];

/** DatasetInfo (F205). */
async function presentDataset(
  ctx: SignedInContext,
  dataset: Dataset,
): Promise<z.infer<typeof datasetInfo>> {
  const { images, projects } = await countDataset(ctx, dataset.id);
  return {
    id: dataset.id,
    name: dataset.name,
    description: dataset.description,
    imagesCount: images,
    projectsCount: projects,
    status: presentStatus(dataset.status),
  };
}
