import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { DatasetRef } from '../datasets/schema.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import { changeErrors, creationErrors } from '../envelope/schema-errors.ts';
import { assignDataset } from './assign-dataset.ts';
import { createProject } from './create-project.ts';
import { workspaceProjects } from './list-projects.ts';
import type { Project } from './project.ts';
import { setProjectMembers } from './set-project-members.ts';
import { unassignDataset } from './unassign-dataset.ts';
import { ProjectEdge, ProjectRef } from './schema.ts';

const CreateProjectInput = mutationInput('CreateProjectInput', {
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
  }),
});
const CreateProjectPayload = mutationPayload<Created<Project>>('CreateProjectPayload', {
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
  }),
});
mutation('createProject', {
  description: 'Creates a draft project, whose first member you are.',
  input: CreateProjectInput,
  inputIs: 'The project.',
  payload: CreateProjectPayload,
  failures: creationErrors,
  resolve: (input, ctx) =>
    createProject(signedIn(ctx), {
      ...input,
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
});

const ProjectDatasetInput = mutationInput('ProjectDatasetInput', {
  description: 'A project and a dataset of one workspace.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    datasetId: t.id({ required: true, description: 'Global id of the dataset.' }),
  }),
});
const ProjectDatasetPayload = mutationPayload<{ project: Project; dataset: Dataset }>(
  'ProjectDatasetPayload',
  {
    description: 'Result of assigning a dataset to a project, or of removing it.',
    fields: (t) => ({
      project: t.expose('project', { type: ProjectRef, description: 'The project as it is now.' }),
      dataset: t.expose('dataset', { type: DatasetRef, description: 'The dataset as it is now.' }),
    }),
  },
);
mutation('assignDatasetToProject', {
  description:
    'Assigns a dataset to a project; repeating it changes nothing. REST: POST /api/Projects/AssignDataset.',
  input: ProjectDatasetInput,
  inputIs: 'Project and dataset.',
  payload: ProjectDatasetPayload,
  failures: changeErrors,
  resolve: (input, ctx) => assignDataset(signedIn(ctx), decodeBoth(input)),
});
mutation('unassignDatasetFromProject', {
  description:
    'Removes a dataset from a project; repeating it changes nothing. REST: POST /api/Projects/UnlinkDataset.',
  input: ProjectDatasetInput,
  inputIs: 'Project and dataset.',
  payload: ProjectDatasetPayload,
  failures: changeErrors,
  resolve: (input, ctx) => unassignDataset(signedIn(ctx), decodeBoth(input)),
});

function decodeBoth(input: { projectId: string; datasetId: string }): {
  projectId: string;
  datasetId: string;
} {
  return {
    projectId: decodeId('Project', input.projectId),
    datasetId: decodeId('Dataset', input.datasetId),
  };
}

const SetProjectMembersInput = mutationInput('SetProjectMembersInput', {
  description: 'A project and its members.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    logins: t.stringList({
      required: true,
      description: 'Logins of all members; each must be a member of the workspace.',
    }),
  }),
});
export const ProjectPayload = mutationPayload<{ project: Project }>('ProjectPayload', {
  description: 'Result of changing a project.',
  fields: (t) => ({
    project: t.expose('project', {
      type: ProjectRef,
      description: 'The project as it is now.',
    }),
  }),
});
mutation('setProjectMembers', {
  description: 'Replaces the members of a project.',
  input: SetProjectMembersInput,
  inputIs: 'Project and people.',
  payload: ProjectPayload,
  failures: changeErrors,
  resolve: async (input, ctx) => ({
    project: await setProjectMembers(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
      logins: input.logins,
    }),
  }),
});
