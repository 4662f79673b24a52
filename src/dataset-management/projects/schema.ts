import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs, connectionType } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { DatasetConnection, DatasetRef } from '../datasets/schema.ts';
import { PublishStatusEnum } from '../envelope/schema-errors.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { WorkspaceRef } from '../workspaces/schema.ts';
import { countProject } from './count-project.ts';
import { pageDatasetsOfProject, pageProjects, pageProjectsOfDataset } from './list-projects.ts';
import { loadProject } from './load-project.ts';
import { Project } from './project.ts';

export const ProjectRef = builder.objectRef<Project>('Project');

builder.node(ProjectRef, {
  description: 'Work on the images of datasets. REST: ProjectInfo.',
  id: { resolve: (project) => project.id, description: 'Opaque global id.' },
  isTypeOf: (value) => value instanceof Project,
  loadOne: (id, ctx) => loadProject(ctx, id),
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'Id of the REST paths. REST: id.',
      resolve: ({ id }) => id,
    }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    status: t.expose('status', { type: PublishStatusEnum, description: 'REST: status.' }),
    description: t.exposeString('description', { description: 'REST: description.' }),
    imageCount: t.int({
      description: 'Images of its datasets. REST: imageCount.',
      resolve: async ({ id }, _, ctx) => (await countProject(ctx, id)).images,
    }),
    usersCount: t.int({
      description: 'Its members. REST: usersCount.',
      resolve: async ({ id }, _, ctx) => (await countProject(ctx, id)).users,
    }),
    workspace: t.field({
      type: WorkspaceRef,
      description: 'The workspace that it belongs to.',
      resolve: ({ workspaceId }, _, ctx) => requireWorkspace(ctx, workspaceId),
    }),
    datasets: t.field({
      type: DatasetConnection,
      description: 'Datasets that are assigned to it, oldest first.',
      args: connectionArgs,
      resolve: ({ id }, args, ctx) =>
        pageDatasetsOfProject(ctx, { projectId: id, page: pageFromConnectionArgs(args, 10) }),
    }),
  }),
});

export const { connection: ProjectConnection, edge: ProjectEdge } = connectionType(
  'Project',
  ProjectRef,
);

builder.objectField(WorkspaceRef, 'projects', (t) =>
  t.field({
    type: ProjectConnection,
    description: 'Its projects, oldest first. REST: /api/Projects.',
    args: connectionArgs,
    resolve: ({ id }, args, ctx) =>
      pageProjects(ctx, { workspaceId: id, page: pageFromConnectionArgs(args, 10) }),
  }),
);
builder.objectField(DatasetRef, 'projects', (t) =>
  t.field({
    type: ProjectConnection,
    description: 'Projects that it is assigned to, oldest first.',
    args: connectionArgs,
    resolve: ({ id }, args, ctx) =>
      pageProjectsOfDataset(ctx, { datasetId: id, page: pageFromConnectionArgs(args, 10) }),
  }),
);

builder.queryField('project', (t) =>
  t.field({
    type: ProjectRef,
    nullable: true,
    description: 'The project with this id; null when there is none that you may see.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id that REST uses.' }) },
    resolve: (_, { uuid }, ctx) => loadProject(ctx, uuid.toLowerCase()),
  }),
);
