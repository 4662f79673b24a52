import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
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
import { DeletePayload } from '../envelope/schema-errors.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { type Workspace, workspaceList } from './workspace.ts';
import { WorkspaceEdge, WorkspaceRef } from './schema.ts';

const CreateWorkspaceInput = mutationInput('CreateWorkspaceInput', {
  description: 'A new workspace.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Name for display, 1 to 200 characters. REST: name.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});
const CreateWorkspacePayload = mutationPayload<Created<Workspace>>('CreateWorkspacePayload', {
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
  }),
});
mutation('createWorkspace', {
  description: 'Creates a workspace. REST: POST /api/Workspaces/create.',
  input: CreateWorkspaceInput,
  inputIs: 'The workspace.',
  payload: CreateWorkspacePayload,
  failures: [ValidationError, NotFoundError, IdempotencyError],
  resolve: (input, ctx) => createWorkspace(signedIn(ctx), input),
});

const DeleteWorkspaceInput = mutationInput('DeleteWorkspaceInput', {
  description: 'The workspace to delete.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
  }),
});
mutation('deleteWorkspace', {
  description:
    'Deletes a workspace with everything in it; owners only. REST: POST /api/Workspaces/delete.',
  input: DeleteWorkspaceInput,
  inputIs: 'The workspace.',
  payload: DeletePayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({
    deletedId: input.workspaceId,
    undoToken: await deleteWorkspace(signedIn(ctx), {
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
  }),
});
