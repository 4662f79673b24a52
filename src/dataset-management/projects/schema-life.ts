import { signedIn } from '../../auth/guards.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { mutation, mutationInput } from '../../core/graphql/mutations.ts';
import { onlyVersion } from '../../core/graphql/user-errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { changeErrors, DeletePayload } from '../envelope/schema-errors.ts';
import { deleteProject } from './delete-project.ts';
import { ProjectPayload } from './schema-mutations.ts';
import { setProjectStatus, updateProject } from './update-project.ts';

const UpdateProjectInput = mutationInput('UpdateProjectInput', {
  description: 'A new name and description.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    name: t.string({ required: true, description: 'Name for display, 1 to 200 characters.' }),
    description: t.string({
      required: true,
      description: 'Description, at most 10,000 characters; may be empty.',
    }),
    expectedVersion: t.int({ description: onlyVersion }),
  }),
});
mutation('updateProject', {
  description: 'Changes name and description of a project.',
  input: UpdateProjectInput,
  inputIs: 'Project, name and description.',
  payload: ProjectPayload,
  failures: [...changeErrors, ConflictError],
  resolve: async (input, ctx) => ({
    project: await updateProject(signedIn(ctx), {
      ...input,
      projectId: decodeId('Project', input.projectId),
    }),
  }),
});

const ProjectIdInput = mutationInput('ProjectIdInput', {
  description: 'One project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
  }),
});
const idErrors = [NotFoundError, ForbiddenError];
mutation('publishProject', {
  description:
    'Publishes a project: its classes keep their names until it is a draft again; its images are annotated and reviewed as before. Repeating it changes nothing.',
  input: ProjectIdInput,
  inputIs: 'The project.',
  payload: ProjectPayload,
  failures: idErrors,
  resolve: async (input, ctx) => ({
    project: await setProjectStatus(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
      status: 'PUBLISHED',
    }),
  }),
});
mutation('unpublishProject', {
  description: 'Makes a published project a draft again. Repeating it changes nothing.',
  input: ProjectIdInput,
  inputIs: 'The project.',
  payload: ProjectPayload,
  failures: idErrors,
  resolve: async (input, ctx) => ({
    project: await setProjectStatus(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
      status: 'DRAFT',
    }),
  }),
});
mutation('deleteProject', {
  description:
    'Deletes a project with its classes and annotations; its datasets stay. undoDelete brings it back.',
  input: ProjectIdInput,
  inputIs: 'The project.',
  payload: DeletePayload,
  failures: idErrors,
  resolve: async (input, ctx) => ({
    deletedId: input.projectId,
    undoToken: await deleteProject(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
    }),
  }),
});
