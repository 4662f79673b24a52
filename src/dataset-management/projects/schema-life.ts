import { signedIn } from '../../auth/guards.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { builder } from '../../core/graphql/builder.ts';
import { onlyVersion } from '../../core/graphql/user-errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { changeErrors, DeletePayload, returnedAsSent } from '../envelope/schema-errors.ts';
import { deleteProject } from './delete-project.ts';
import { ProjectPayload } from './schema-mutations.ts';
import { setProjectStatus, updateProject } from './update-project.ts';

const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description: 'A new name and description.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    name: t.string({ required: true, description: 'Name for display, 1 to 200 characters.' }),
    description: t.string({
      required: true,
      description: 'Description, at most 10,000 characters; may be empty.',
    }),
    expectedVersion: t.int({ description: onlyVersion }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('updateProject', (t) =>
  t.field({
    type: ProjectPayload,
    description: 'Changes name and description of a project.',
    errors: {
      types: [...changeErrors, ConflictError],
      union: { name: 'UpdateProjectResult', description: 'Outcome of updateProject.' },
    },
    args: {
      input: t.arg({
        type: UpdateProjectInput,
        required: true,
        description: 'Project, name and description.',
      }),
    },
    resolve: async (_, { input: { clientMutationId, ...input } }, ctx) => ({
      project: await updateProject(signedIn(ctx), {
        ...input,
        projectId: decodeId('Project', input.projectId),
      }),
      clientMutationId,
    }),
  }),
);

const ProjectIdInput = builder.inputType('ProjectIdInput', {
  description: 'One project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const oneProject = { type: ProjectIdInput, required: true, description: 'The project.' } as const;
const idErrors = [NotFoundError, ForbiddenError];
builder.mutationField('publishProject', (t) =>
  t.field({
    type: ProjectPayload,
    description:
      'Publishes a project: its classes keep their names until it is a draft again; its images are annotated and reviewed as before. Repeating it changes nothing.',
    errors: {
      types: idErrors,
      union: { name: 'PublishProjectResult', description: 'Outcome of publishProject.' },
    },
    args: { input: t.arg(oneProject) },
    resolve: async (_, { input }, ctx) => ({
      project: await setProjectStatus(signedIn(ctx), {
        projectId: decodeId('Project', input.projectId),
        status: 'PUBLISHED',
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
builder.mutationField('unpublishProject', (t) =>
  t.field({
    type: ProjectPayload,
    description: 'Makes a published project a draft again. Repeating it changes nothing.',
    errors: {
      types: idErrors,
      union: { name: 'UnpublishProjectResult', description: 'Outcome of unpublishProject.' },
    },
    args: { input: t.arg(oneProject) },
    resolve: async (_, { input }, ctx) => ({
      project: await setProjectStatus(signedIn(ctx), {
        projectId: decodeId('Project', input.projectId),
        status: 'DRAFT',
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
builder.mutationField('deleteProject', (t) =>
  t.field({
    type: DeletePayload,
    description:
      'Deletes a project with its classes and annotations; its datasets stay. undoDelete brings it back.',
    errors: {
      types: idErrors,
      union: { name: 'DeleteProjectResult', description: 'Outcome of deleteProject.' },
    },
    args: { input: t.arg(oneProject) },
    resolve: async (_, { input }, ctx) => ({
      deletedId: input.projectId,
      undoToken: await deleteProject(signedIn(ctx), {
        projectId: decodeId('Project', input.projectId),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
