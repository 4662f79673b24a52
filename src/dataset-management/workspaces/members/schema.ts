import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { connectionType } from '../../../core/graphql/connections.ts';
import { onceADay, replayedByKey } from '../../../core/graphql/user-errors.ts';
import { encodeGlobalId } from '../../../core/global-id.ts';
import { cursorOf } from '../../../core/lists/read-list.ts';
import type { Created } from '../../content/create-once.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { pageBelow } from '../../envelope/schema-page-below.ts';
import { changeErrors, creationErrors } from '../../envelope/schema-errors.ts';
import { loadWorkspace, requireWorkspace } from '../load-workspace.ts';
import { WorkspaceRef, WorkspaceRoleEnum } from '../schema.ts';
import type { Workspace } from '../workspace.ts';
import { addMember } from './add-member.ts';
import { changeMember } from './change-member.ts';
import { pageMembers } from './list-members.ts';
import { loadMember } from './load-member.ts';
import { memberList, WorkspaceMember } from './member.ts';
import { removeMember } from './remove-member.ts';

const WorkspaceMemberRef = builder.objectRef<WorkspaceMember>('WorkspaceMember');
builder.node(WorkspaceMemberRef, {
  description: 'A user as a member of a workspace; all of its members see it.',
  id: { resolve: ({ id }) => id },
  isTypeOf: (value) => value instanceof WorkspaceMember,
  loadOne: (id, ctx) => loadMember(signedIn(ctx), id),
  fields: (t) => ({
    login: t.exposeString('login', { description: 'Login of the user.' }),
    displayName: t.exposeString('displayName', { description: 'Name of the user for display.' }),
    role: t.expose('role', { type: WorkspaceRoleEnum, description: 'What they may do.' }),
    workspace: t.field({
      type: WorkspaceRef,
      description: 'The workspace.',
      resolve: ({ workspaceId }, _, ctx) => requireWorkspace(signedIn(ctx), workspaceId),
    }),
  }),
});
const { connection: WorkspaceMemberConnection, edge: WorkspaceMemberEdge } = connectionType(
  'WorkspaceMember',
  WorkspaceMemberRef,
);
builder.objectField(WorkspaceRef, 'members', (t) =>
  t.connection(
    {
      type: WorkspaceMemberRef,
      description: 'Its members, by login.',
      resolve: pageBelow(pageMembers),
    },
    WorkspaceMemberConnection,
  ),
);

const workspaceId = {
  required: true,
  description: 'Global id of the workspace, of which you are an owner.',
} as const;
const role = { type: WorkspaceRoleEnum, required: true, description: 'What they may do.' } as const;

const AddWorkspaceMemberInput = mutationInput('AddWorkspaceMemberInput', {
  description: 'A user to make a member of a workspace.',
  fields: (t) => ({
    workspaceId: t.id(workspaceId),
    login: t.string({ required: true, description: 'Login of an enabled user of your domain.' }),
    role: t.field(role),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});
const AddWorkspaceMemberPayload = mutationPayload<Created<WorkspaceMember>>(
  'AddWorkspaceMemberPayload',
  {
    description: 'Result of adding a member.',
    fields: (t) => ({
      member: t.expose('created', { type: WorkspaceMemberRef, description: 'The new member.' }),
      memberEdge: t.field({
        type: WorkspaceMemberEdge,
        description: 'The edge of the new row, to add to a list.',
        resolve: ({ created }, _, ctx) => ({
          node: created,
          cursor: cursorOf(
            memberList(signedIn(ctx).viewer, { workspaceIds: [], userIds: [] }),
            created,
          ),
        }),
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
    }),
  },
);
mutation('addWorkspaceMember', {
  description:
    'Makes a user of your domain a member of a workspace, at once: they find it in viewer.workspaces, and may leave it with removeWorkspaceMember. Repeating it changes nothing. Owners only.',
  input: AddWorkspaceMemberInput,
  inputIs: 'Workspace, user and role.',
  payload: AddWorkspaceMemberPayload,
  failures: creationErrors,
  resolve: (input, ctx) =>
    addMember(signedIn(ctx), {
      ...input,
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
});

const ChangeWorkspaceMemberInput = mutationInput('ChangeWorkspaceMemberInput', {
  description: 'A member of a workspace and their new role.',
  fields: (t) => ({
    workspaceId: t.id(workspaceId),
    login: t.string({ required: true, description: 'Login of the member.' }),
    role: t.field(role),
  }),
});
const ChangeWorkspaceMemberPayload = mutationPayload<{ member: WorkspaceMember }>(
  'ChangeWorkspaceMemberPayload',
  {
    description: 'Result of changing a member.',
    fields: (t) => ({
      member: t.expose('member', {
        type: WorkspaceMemberRef,
        description: 'The member as they are now.',
      }),
    }),
  },
);
mutation('changeWorkspaceMember', {
  description:
    'Gives a member of a workspace another role; it applies to their next request. The last owner stays one. Owners only.',
  input: ChangeWorkspaceMemberInput,
  inputIs: 'Workspace, member and role.',
  payload: ChangeWorkspaceMemberPayload,
  failures: changeErrors,
  resolve: async (input, ctx) => ({
    member: await changeMember(signedIn(ctx), {
      ...input,
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
  }),
});

const RemoveWorkspaceMemberInput = mutationInput('RemoveWorkspaceMemberInput', {
  description: 'A member to remove from a workspace.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
    login: t.string({ required: true, description: 'Login of the member; your own to leave.' }),
  }),
});
const RemoveWorkspaceMemberPayload = mutationPayload<{ removed: WorkspaceMember }>(
  'RemoveWorkspaceMemberPayload',
  {
    description: 'Result of removing a member.',
    fields: (t) => ({
      removedId: t.id({
        description: 'Global id of the member who is gone.',
        resolve: ({ removed }) => encodeGlobalId('WorkspaceMember', removed.id),
      }),
      workspace: t.field({
        type: WorkspaceRef,
        nullable: true,
        description: 'The workspace as it is now; null if you left it.',
        resolve: ({ removed }, _, ctx): Promise<Workspace | null> =>
          loadWorkspace(signedIn(ctx), removed.workspaceId),
      }),
    }),
  },
);
mutation('removeWorkspaceMember', {
  description:
    'Removes a member from a workspace, which does not exist for them any more: their uploads and exports under way end. What they made stays. Owners may remove everybody, everybody may leave; the last owner stays.',
  input: RemoveWorkspaceMemberInput,
  inputIs: 'Workspace and member.',
  payload: RemoveWorkspaceMemberPayload,
  failures: changeErrors,
  resolve: async (input, ctx) => ({
    removed: await removeMember(signedIn(ctx), {
      login: input.login,
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
  }),
});
