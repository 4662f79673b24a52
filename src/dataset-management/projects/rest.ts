import type { SignedInContext } from '../../core/context/context.ts';
import * as z from 'zod';
import { jsonAnswer, type Route, type Translation } from '../../core/rest/route.ts';
import { envelopeOf, envelopeShape, EXAMPLE_ID } from '../envelope/envelope-shapes.ts';
import { presentRows } from '../envelope/present-rows.ts';
import { presentStatus } from '../datasets/dataset.ts';
import { datasetRoute, listRoute } from '../envelope/present-envelope.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import {
  allRows,
  explainChange,
  nullInGraphQL,
  pagedInGraphQL,
} from '../envelope/explain-dataset-request.ts';
import { idParameter } from '../envelope/input-parameters.ts';
import { assignDataset } from './assign-dataset.ts';
import { countProject } from './count-project.ts';
import { listProjects } from './list-projects.ts';
import type { Project } from './project.ts';
import { unassignDataset } from './unassign-dataset.ts';

const count = z.int().meta({ format: 'int32' });

const projectInfo = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(['Draft', 'Published']),
    description: z.string(),
    imageCount: count,
    usersCount: count,
  })
  .meta({ id: 'ProjectInfo' });

const both = z.object({
  projectId: idParameter('body', 'The project.'),
  datasetId: idParameter('body', 'The dataset.'),
});

export const projectRoutes: readonly Route[] = [
  listRoute({
    method: 'GET',
    path: '/api/Projects',
    operation: 'listProjects',
    summary: 'Lists the projects of a workspace.',
    request: z.object({
      workspaceId: idParameter('query', 'The workspace.', 'WORKSPACE_ID_REQUIRED'),
    }),
    answer: jsonAnswer(
      envelopeShape('ProjectListEnvelope', 'ProjectInfoDtos', z.array(projectInfo)),
      envelopeOf([
        {
          id: EXAMPLE_ID,
          name: 'Bottles',
          status: 'Draft' as const,
          description: 'Where are they?',
          imageCount: 12,
          usersCount: 3,
        },
      ]),
    ),
    errors: ['WORKSPACE_ID_REQUIRED', 'INVALID_ID', 'WORKSPACE_NOT_FOUND'],
    run: async (ctx, args) =>
      presentRows(listProjects(ctx, args), (project) => presentProject(ctx, project)),
    explain: (args) => ({
      steps: [
        { field: 'workspace', args: { uuid: args.workspaceId } },
        { field: 'projects', args: allRows },
      ],
      select:
        'nodes { uuid name status description imagesCount usersCount } pageInfo { hasNextPage endCursor }',
      notes: [pagedInGraphQL, nullInGraphQL],
    }),
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Projects/AssignDataset',
    operation: 'assignDatasetToProject',
    summary: 'Assigns a dataset to a project of the same workspace.',
    request: both,
    errors: [
      'INVALID_ID',
      'PROJECT_NOT_FOUND',
      'DATASET_NOT_FOUND',
      'WORKSPACE_MISMATCH',
      'FORBIDDEN',
    ],
    run: async (ctx, args) => void (await assignDataset(ctx, args)),
    explain: (args) => explainPair(args, 'assignDatasetToProject'),
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Projects/UnlinkDataset',
    operation: 'unassignDatasetFromProject',
    summary: 'Takes a dataset out of a project.',
    request: both,
    errors: ['INVALID_ID', 'PROJECT_NOT_FOUND', 'DATASET_NOT_FOUND', 'FORBIDDEN'],
    run: async (ctx, args) => void (await unassignDataset(ctx, args)),
    explain: (args) => explainPair(args, 'unassignDatasetFromProject'),
  }),
];

function explainPair(args: z.output<typeof both>, field: string): Translation {
  const input = {
    projectId: encodeGlobalId('Project', args.projectId),
    datasetId: encodeGlobalId('Dataset', args.datasetId),
  };
  return explainChange(field, input, {
    payload: 'ProjectDatasetPayload',
    selection: 'project { uuid } dataset { uuid }',
  });
}

/** ProjectInfo (F219). */
async function presentProject(
  ctx: SignedInContext,
  project: Project,
): Promise<z.infer<typeof projectInfo>> {
  const { images, users } = await countProject(ctx, project.id);
  return {
    id: project.id,
    name: project.name,
    status: presentStatus(project.status),
    description: project.description,
    imageCount: images,
    usersCount: users,
  };
}
