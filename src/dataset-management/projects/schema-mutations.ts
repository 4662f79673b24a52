import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { DatasetRef } from '../datasets/schema.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import { asSent, changeErrors, creationErrors, returnedAsSent } from '../envelope/schema-errors.ts';
import { assignDataset } from './assign-dataset.ts';
import { createProject } from './create-project.ts';
import { workspaceProjects } from './list-projects.ts';
import type { Project } from './project.ts';
import { setProjectMembers } from './set-project-members.ts';
import { unassignDataset } from './unassign-dataset.ts';
import { ProjectEdge, ProjectRef } from './schema.ts';

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project.',
  fields: (t) => ({
    workspaceId: t.id({
      required: true,
      description: 'Global id of the workspace in which to create it.',
    }),
    name: t.string({ required: true, description: 'Name for display, 1 to 200 characters.' }),
    description: t.string({
      required: true,
      description: 'Description, at most 10,000 characters; may be empty.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const CreateProjectPayload = builder
  .objectRef<Created<Project> & { clientMutationId: string | null | undefined }>(
    'CreateProjectPayload',
  )
  .implement({
    description: 'Result of creating a project; you are its first member.',
    fields: (t) => ({
      project: t.expose('created', { type: ProjectRef, description: 'The new project.' }),
      projectEdge: t.field({
        type: ProjectEdge,
        description: 'The edge of the new row, to add to a list.',
        resolve: ({ created }, _, ctx) => ({
          node: created,
          cursor: cursorOf(workspaceProjects(signedIn(ctx), created.workspaceId), created),
        }),
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('createProject', (t) =>
  t.field({
    type: CreateProjectPayload,
    description: 'Creates a draft project, whose first member you are.',
    errors: {
      types: creationErrors,
      union: { name: 'CreateProjectResult', description: 'Outcome of createProject.' },
    },
    args: {
      input: t.arg({ type: CreateProjectInput, required: true, description: 'The project.' }),
    },
    resolve: async (_, { input }, ctx) => ({
      ...(await createProject(signedIn(ctx), {
        ...input,
        workspaceId: decodeId('Workspace', input.workspaceId),
      })),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const ProjectDatasetInput = builder.inputType('ProjectDatasetInput', {
  description: 'A project and a dataset of one workspace.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const ProjectDatasetPayload = builder
  .objectRef<{ project: Project; dataset: Dataset; clientMutationId: string | null | undefined }>(
    'ProjectDatasetPayload',
  )
  .implement({
    description: 'Result of assigning a dataset to a project, or of removing it.',
    fields: (t) => ({
      project: t.expose('project', { type: ProjectRef, description: 'The project as it is now.' }),
      dataset: t.expose('dataset', { type: DatasetRef, description: 'The dataset as it is now.' }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
const projectDatasetArgs = {
  type: ProjectDatasetInput,
  required: true,
  description: 'Project and dataset.',
} as const;
builder.mutationField('assignDatasetToProject', (t) =>
  t.field({
    type: ProjectDatasetPayload,
    description:
      'Assigns a dataset to a project; repeating it changes nothing. REST: POST /api/Projects/AssignDataset.',
    errors: {
      types: changeErrors,
      union: {
        name: 'AssignDatasetToProjectResult',
        description: 'Outcome of assignDatasetToProject.',
      },
    },
    args: { input: t.arg(projectDatasetArgs) },
    resolve: async (_, { input }, ctx) => ({
      ...(await assignDataset(signedIn(ctx), decodeBoth(input))),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
builder.mutationField('unassignDatasetFromProject', (t) =>
  t.field({
    type: ProjectDatasetPayload,
    description:
      'Removes a dataset from a project; repeating it changes nothing. REST: POST /api/Projects/UnlinkDataset.',
    errors: {
      types: changeErrors,
      union: {
        name: 'UnassignDatasetFromProjectResult',
        description: 'Outcome of unassignDatasetFromProject.',
      },
    },
    args: { input: t.arg(projectDatasetArgs) },
    resolve: async (_, { input }, ctx) => ({
      ...(await unassignDataset(signedIn(ctx), decodeBoth(input))),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

function decodeBoth(input: { projectId: string; datasetId: string }): {
  projectId: string;
  datasetId: string;
} {
  return {
    projectId: decodeId('Project', input.projectId),
    datasetId: decodeId('Dataset', input.datasetId),
  };
}

const SetProjectMembersInput = builder.inputType('SetProjectMembersInput', {
  description: 'A project and its members.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    logins: t.stringList({
      required: true,
      description: 'Logins of all members; each must be a member of the workspace.',
    }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
export const ProjectPayload = builder
  .objectRef<{ project: Project; clientMutationId: string | null | undefined }>('ProjectPayload')
  .implement({
    description: 'Result of changing a project.',
    fields: (t) => ({
      project: t.expose('project', {
        type: ProjectRef,
        description: 'The project as it is now.',
      }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('setProjectMembers', (t) =>
  t.field({
    type: ProjectPayload,
    description: 'Replaces the members of a project.',
    errors: {
      types: changeErrors,
      union: { name: 'SetProjectMembersResult', description: 'Outcome of setProjectMembers.' },
    },
    args: {
      input: t.arg({
        type: SetProjectMembersInput,
        required: true,
        description: 'Project and people.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      project: await setProjectMembers(signedIn(ctx), {
        projectId: decodeId('Project', input.projectId),
        logins: input.logins,
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
