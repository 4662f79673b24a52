import type { Context } from '../../core/context/context.ts';
import { z } from 'zod';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import {
  envelopeOf,
  envelopeShape,
  EXAMPLE_ID,
  guidEnvelope,
} from '../envelope/envelope-shapes.ts';
import { datasetRoute } from '../envelope/present-envelope.ts';
import { encodeId } from '../envelope/decode-id.ts';
import {
  allRows,
  explainChange,
  nullInGraphQL,
  pagedInGraphQL,
} from '../envelope/explain-dataset-request.ts';
import {
  idParameter,
  takeBody,
  takeQuery,
  textParameter,
  type InputReader,
} from '../envelope/input-parameters.ts';
import { countDataset } from './count-dataset.ts';
import { createDataset } from './create-dataset.ts';
import { presentStatus, type Dataset } from './dataset.ts';
import { deleteDataset } from './delete-dataset.ts';
import { listDatasets } from './list-datasets.ts';
import { publishDataset } from './publish-dataset.ts';
import { updateDataset } from './update-dataset.ts';

const takeWorkspace = (input: InputReader): { workspaceId: string } => ({
  workspaceId: input.id('workspaceId', 'WORKSPACE_ID_REQUIRED'),
});
const takeDataset = (input: InputReader): { datasetId: string } => ({
  datasetId: input.id('datasetId'),
});
const takeText = (input: InputReader): { name: string; description: string } => ({
  name: input.text('name') ?? '',
  description: input.requiredText('description'),
});
const takeNew = (
  input: InputReader,
): ReturnType<typeof takeWorkspace> & ReturnType<typeof takeText> => ({
  ...takeWorkspace(input),
  ...takeText(input),
});
const takeUpdate = (
  input: InputReader,
): ReturnType<typeof takeDataset> & ReturnType<typeof takeText> => ({
  ...takeDataset(input),
  ...takeText(input),
});

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
  datasetRoute({
    method: 'GET',
    path: '/api/Datasets',
    operation: 'listDatasets',
    summary: 'Lists the datasets of a workspace.',
    parameters: [idParameter('query', 'workspaceId', 'The workspace.')],
    answer: jsonAnswer(
      envelopeShape('DatasetInfoDtos', z.array(datasetInfo)),
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
    run: async (ctx, request) =>
      Promise.all(
        (await listDatasets(ctx, takeQuery(request, takeWorkspace).args)).map((dataset) =>
          presentDataset(ctx, dataset),
        ),
      ),
    explain: (request) => {
      const { args, ignored } = takeQuery(request, takeWorkspace);
      return {
        steps: [
          { field: 'workspace', args: { uuid: args.workspaceId } },
          { field: 'datasets', args: allRows },
        ],
        select:
          'nodes { uuid name description imagesCount projectsCount status } pageInfo { hasNextPage endCursor }',
        ignored,
        notes: [pagedInGraphQL, nullInGraphQL],
      };
    },
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Datasets/create',
    operation: 'createDataset',
    summary: 'Creates a dataset and returns its id.',
    parameters: [
      textParameter('name', 'Name.', { minLength: 1, maxLength: 200 }, 'Shelves'),
      textParameter('description', 'Description.', { maxLength: 10_000 }, 'Front views'),
      idParameter('body', 'workspaceId', 'The workspace.'),
    ],
    answer: jsonAnswer(guidEnvelope, envelopeOf(EXAMPLE_ID)),
    errors: [
      'WORKSPACE_ID_REQUIRED',
      'INVALID_ID',
      'NAME_REQUIRED',
      'NAME_TOO_LONG',
      'VALIDATION_ERROR',
      'WORKSPACE_NOT_FOUND',
      'FORBIDDEN',
    ],
    run: async (ctx, request) =>
      (await createDataset(ctx, (await takeBody(request, takeNew)).args)).created.id,
    explain: async (request) => {
      const { args, ignored } = await takeBody(request, takeNew);
      return explainChange(
        'createDataset',
        { ...args, workspaceId: encodeId('Workspace', args.workspaceId) },
        'CreateDatasetPayload',
        'dataset { id uuid }',
        ignored,
      );
    },
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Datasets/update',
    operation: 'updateDataset',
    summary: 'Gives a dataset a new name and description.',
    parameters: [
      idParameter('body', 'datasetId', 'The dataset.'),
      textParameter('name', 'Name.', { minLength: 1, maxLength: 200 }, 'Shelves'),
      textParameter('description', 'Description.', { maxLength: 10_000 }, 'Front views'),
    ],
    errors: [
      'INVALID_ID',
      'NAME_REQUIRED',
      'NAME_TOO_LONG',
      'VALIDATION_ERROR',
      'DATASET_NOT_FOUND',
      'FORBIDDEN',
    ],
    run: async (ctx, request) =>
      void (await updateDataset(ctx, (await takeBody(request, takeUpdate)).args)),
    explain: async (request) => {
      const { args, ignored } = await takeBody(request, takeUpdate);
      return explainChange(
        'updateDataset',
        { ...args, datasetId: encodeId('Dataset', args.datasetId) },
        'UpdateDatasetPayload',
        'dataset { uuid name description version }',
        ignored,
      );
    },
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Datasets/delete',
    operation: 'deleteDataset',
    summary: 'Deletes a dataset.',
    parameters: [idParameter('body', 'datasetId', 'The dataset.')],
    errors: ['INVALID_ID', 'DATASET_NOT_FOUND', 'FORBIDDEN'],
    run: async (ctx, request) =>
      void (await deleteDataset(ctx, (await takeBody(request, takeDataset)).args)),
    explain: async (request) => {
      const { args, ignored } = await takeBody(request, takeDataset);
      return explainChange(
        'deleteDataset',
        { datasetId: encodeId('Dataset', args.datasetId) },
        'DeletePayload',
        'deletedId undoToken',
        ignored,
      );
    },
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Datasets/publish',
    operation: 'publishDataset',
    summary: 'Publishes a dataset, which freezes its images.',
    parameters: [idParameter('body', 'datasetId', 'The dataset.')],
    errors: ['INVALID_ID', 'DATASET_NOT_FOUND', 'FORBIDDEN'],
    run: async (ctx, request) =>
      void (await publishDataset(ctx, (await takeBody(request, takeDataset)).args)),
    explain: async (request) => {
      const { args, ignored } = await takeBody(request, takeDataset);
      return explainChange(
        'publishDataset',
        { datasetId: encodeId('Dataset', args.datasetId) },
        'PublishDatasetPayload',
        'dataset { uuid status }',
        ignored,
      );
    },
  }),
];

/** DatasetInfo (F205). */
async function presentDataset(
  ctx: Context,
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
