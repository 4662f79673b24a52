import { builder } from '../../core/graphql/builder.ts';
import {
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { signedIn } from '../../auth/guards.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import { asSent, DeletePayload, returnedAsSent } from '../envelope/schema-errors.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { type Workspace, workspaceList } from './workspace.ts';
import { WorkspaceEdge, WorkspaceRef } from './schema.ts';

const CreateWorkspaceInput = builder.inputType('CreateWorkspaceInput', {
  description: 'A new workspace.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Name for display, 1 to 200 characters. REST: name.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const CreateWorkspacePayload = builder
  .objectRef<Created<Workspace> & { clientMutationId: string | null | undefined }>(
    'CreateWorkspacePayload',
  )
  .implement({
    description: 'Result of creating a workspace; you are its owner.',
    fields: (t) => ({
      workspace: t.expose('created', { type: WorkspaceRef, description: 'The new workspace.' }),
      workspaceEdge: t.field({
        type: WorkspaceEdge,
        description: 'The edge of the new row, to add to your list.',
        resolve: ({ created }, _, ctx) => ({
          node: created,
          cursor: cursorOf(workspaceList(signedIn(ctx).viewer), created),
        }),
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('createWorkspace', (t) =>
  t.field({
    type: CreateWorkspacePayload,
    description: 'Creates a workspace. REST: POST /api/Workspaces/create.',
    errors: {
      types: [ValidationError, NotFoundError, IdempotencyError],
      union: { name: 'CreateWorkspaceResult', description: 'Outcome of createWorkspace.' },
    },
    args: {
      input: t.arg({ type: CreateWorkspaceInput, required: true, description: 'The workspace.' }),
    },
    resolve: async (_, { input }, ctx) => ({
      ...(await createWorkspace(signedIn(ctx), input)),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const DeleteWorkspaceInput = builder.inputType('DeleteWorkspaceInput', {
  description: 'The workspace to delete.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('deleteWorkspace', (t) =>
  t.field({
    type: DeletePayload,
    description:
      'Deletes a workspace with everything in it; owners only. REST: POST /api/Workspaces/delete.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'DeleteWorkspaceResult', description: 'Outcome of deleteWorkspace.' },
    },
    args: {
      input: t.arg({ type: DeleteWorkspaceInput, required: true, description: 'The workspace.' }),
    },
    resolve: async (_, { input }, ctx) => ({
      deletedId: input.workspaceId,
      undoToken: await deleteWorkspace(signedIn(ctx), {
        workspaceId: decodeId('Workspace', input.workspaceId),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
