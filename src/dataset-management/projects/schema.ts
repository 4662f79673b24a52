import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType } from '../../core/graphql/connections.ts';
import { DatasetConnection, DatasetRef } from '../datasets/schema.ts';
import { PublishStatusEnum } from '../envelope/schema-errors.ts';
import { pageBelow } from '../envelope/schema-page-below.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { WorkspaceRef } from '../workspaces/schema.ts';
import { countProject } from './count-project.ts';
import { pageDatasetsOfProject, pageProjects, pageProjectsOfDataset } from './list-projects.ts';
import { loadProject } from './load-project.ts';
import { Project } from './project.ts';

export const ProjectRef = builder.objectRef<Project>('Project');

builder.node(ProjectRef, {
  description: 'Annotation work on the images of datasets. REST: ProjectInfo.',
  id: { resolve: (project) => project.id },
  isTypeOf: (value) => value instanceof Project,
  loadOne: (id, ctx) => loadProject(signedIn(ctx), id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API. REST: id.' }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    status: t.expose('status', {
      type: PublishStatusEnum,
      description: 'Whether it has been published. REST: status.',
    }),
    version: t.exposeInt('version', {
      description:
        'Counts up with every change of the project itself and of its classes. Send it as `expectedVersion`.',
    }),
    description: t.exposeString('description', {
      description: 'Description, as plain text; may be empty. REST: description.',
    }),
    imagesCount: t.int({
      description: 'Number of images in its datasets. REST: imageCount.',
      resolve: async ({ id }, _, ctx) => (await countProject(signedIn(ctx), id)).images,
    }),
    imageCount: t.int({
      description: 'Number of images in its datasets.',
      deprecationReason: 'Use imagesCount, which has the same value.',
      resolve: async ({ id }, _, ctx) => (await countProject(signedIn(ctx), id)).images,
    }),
    usersCount: t.int({
      description: 'Number of its members. REST: usersCount.',
      resolve: async ({ id }, _, ctx) => (await countProject(signedIn(ctx), id)).users,
    }),
    workspace: t.field({
      type: WorkspaceRef,
      description: 'Its workspace.',
      resolve: ({ workspaceId }, _, ctx) => requireWorkspace(signedIn(ctx), workspaceId),
    }),
    datasets: t.connection(
      {
        type: DatasetRef,
        description: 'Its assigned datasets, oldest first.',
        resolve: pageBelow(pageDatasetsOfProject),
      },
      DatasetConnection,
    ),
  }),
});

export const { connection: ProjectConnection, edge: ProjectEdge } = connectionType(
  'Project',
  ProjectRef,
);

builder.objectField(WorkspaceRef, 'projects', (t) =>
  t.connection(
    {
      type: ProjectRef,
      description: 'Its projects, oldest first. REST: /api/Projects.',
      resolve: pageBelow(pageProjects),
    },
    ProjectConnection,
  ),
);
builder.objectField(DatasetRef, 'projects', (t) =>
  t.connection(
    {
      type: ProjectRef,
      description: 'Projects to which it is assigned, oldest first.',
      resolve: pageBelow(pageProjectsOfDataset),
    },
    ProjectConnection,
  ),
);

builder.queryField('project', (t) =>
  t.field({
    type: ProjectRef,
    nullable: true,
    description: 'The project with this id; null if it does not exist or you may not see it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id in the REST API.' }) },
    resolve: (_, { uuid }, ctx) => loadProject(signedIn(ctx), uuid.toLowerCase()),
  }),
);
