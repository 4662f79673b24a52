import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs, connectionType } from '../../core/graphql/connections.ts';
import {
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { requireViewer } from '../../auth/guards.ts';
import type { Created } from '../content/create-once.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cursorOf } from '../../core/lists/read-list.ts';
import { asSent, DeletePayload, returnedAsSent } from '../envelope/schema-errors.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { enableEncryption } from './enable-encryption.ts';
import { pageWorkspaces } from './list-workspaces.ts';
import { loadWorkspace } from './load-workspace.ts';
import { verifyWorkspaceKey } from './verify-workspace-key.ts';
import { Workspace, workspaceList } from './workspace.ts';

export const WorkspaceRef = builder.objectRef<Workspace>('Workspace');

builder.node(WorkspaceRef, {
  description: 'Holds datasets and projects. REST: WorkspaceInfo.',
  id: { resolve: (workspace) => workspace.id, description: 'Opaque global id.' },
  isTypeOf: (value) => value instanceof Workspace,
  loadOne: (id, ctx) => loadWorkspace(ctx, id),
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'Id of the REST paths. REST: id.',
      resolve: ({ id }) => id,
    }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    encrypted: t.exposeBoolean('encrypted', {
      description: 'Images and thumbnails are encrypted by the client. REST: encrypted.',
    }),
  }),
});

export const { connection: WorkspaceConnection, edge: WorkspaceEdge } = connectionType(
  'Workspace',
  WorkspaceRef,
);

builder.objectFields(ViewerRef, (t) => ({
  workspaces: t.field({
    type: WorkspaceConnection,
    description: 'Workspaces of which you are a member, oldest first. REST: /api/Workspaces.',
    args: connectionArgs,
    resolve: (_, args, ctx) => pageWorkspaces(ctx, pageFromConnectionArgs(args)),
  }),
}));

builder.queryField('workspace', (t) =>
  t.field({
    type: WorkspaceRef,
    nullable: true,
    description: 'The workspace with this id; null when there is none that you may see.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id that REST uses.' }) },
    resolve: (_, { uuid }, ctx) => loadWorkspace(ctx, uuid.toLowerCase()),
  }),
);

builder.scalarType('EncryptionChecksum', {
  description: 'Base64 of a SHA-256 digest: exactly 44 characters, canonical.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (
      typeof value === 'string' &&
      value.length === 44 &&
      Buffer.from(value, 'base64').length === 32 &&
      Buffer.from(value, 'base64').toString('base64') === value
    )
      return value;
    throw new EncryptionError('INVALID_CHECKSUM');
  },
});

const CreateWorkspaceInput = builder.inputType('CreateWorkspaceInput', {
  description: 'A new workspace.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name for display. REST: name.' }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const CreateWorkspacePayload = builder
  .objectRef<Created<Workspace> & { clientMutationId: string | null | undefined }>(
    'CreateWorkspacePayload',
  )
  .implement({
    description: 'The workspace is there; you are its owner.',
    fields: (t) => ({
      workspace: t.expose('created', { type: WorkspaceRef, description: 'The new workspace.' }),
      workspaceEdge: t.field({
        type: WorkspaceEdge,
        description: 'Its place in your list.',
        resolve: ({ created }, _, ctx) => ({
          node: created,
          cursor: cursorOf(workspaceList(requireViewer(ctx)), created),
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
      ...(await createWorkspace(ctx, input)),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const DeleteWorkspaceInput = builder.inputType('DeleteWorkspaceInput', {
  description: 'The workspace to delete.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'The workspace.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('deleteWorkspace', (t) =>
  t.field({
    type: DeletePayload,
    description:
      'Deletes a workspace with all that it holds; owners only. REST: POST /api/Workspaces/delete.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'DeleteWorkspaceResult', description: 'Outcome of deleteWorkspace.' },
    },
    args: {
      input: t.arg({ type: DeleteWorkspaceInput, required: true, description: 'The workspace.' }),
    },
    resolve: async (_, { input }, ctx) => ({
      deletedId: input.workspaceId,
      undoToken: await deleteWorkspace(ctx, {
        workspaceId: decodeId('Workspace', input.workspaceId),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const checksum = {
  type: 'EncryptionChecksum',
  required: true,
  description: 'Checksum of the key for this workspace; trivium/e2ee computes it.',
} as const;
const EnableEncryptionInput = builder.inputType('EnableEncryptionInput', {
  description: 'The workspace and the checksum of its key.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'The workspace.' }),
    checksum: t.field(checksum),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const EnableEncryptionPayload = builder
  .objectRef<{ workspace: Workspace; clientMutationId: string | null | undefined }>(
    'EnableEncryptionPayload',
  )
  .implement({
    description: 'The workspace is encrypted.',
    fields: (t) => ({
      workspace: t.expose('workspace', { type: WorkspaceRef, description: 'The workspace.' }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('enableEncryption', (t) =>
  t.field({
    type: EnableEncryptionPayload,
    description:
      'Marks an empty workspace as encrypted, for good; owners only. REST: POST /api/Workspaces/enableEncryption.',
    errors: {
      types: [EncryptionError, NotFoundError, ForbiddenError],
      union: { name: 'EnableEncryptionResult', description: 'Outcome of enableEncryption.' },
    },
    args: {
      input: t.arg({
        type: EnableEncryptionInput,
        required: true,
        description: 'Workspace and checksum.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      workspace: await enableEncryption(ctx, {
        workspaceId: decodeId('Workspace', input.workspaceId),
        checksum: input.checksum,
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const KeyCheckEnum = builder.enumType('KeyCheck', {
  description: 'Is it the checksum of the key?',
  values: {
    MATCH: { description: 'It is the key of the workspace.' },
    MISMATCH: { description: 'It is another key, or the workspace is not encrypted.' },
  } as const,
});
const VerifyWorkspaceKeyInput = builder.inputType('VerifyWorkspaceKeyInput', {
  description: 'The workspace and the checksum of the key at hand.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'The workspace.' }),
    checksum: t.field(checksum),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const VerifyWorkspaceKeyPayload = builder
  .objectRef<{ result: 'MATCH' | 'MISMATCH'; clientMutationId: string | null | undefined }>(
    'VerifyWorkspaceKeyPayload',
  )
  .implement({
    description: 'What the comparison gave.',
    fields: (t) => ({
      result: t.expose('result', { type: KeyCheckEnum, description: 'Is it the key?' }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('verifyWorkspaceKey', (t) =>
  t.field({
    type: VerifyWorkspaceKeyPayload,
    description:
      'Tells whether a key is that of the workspace, by its checksum. A mutation because it is rate-limited and logged.',
    errors: {
      types: [EncryptionError, NotFoundError],
      union: { name: 'VerifyWorkspaceKeyResult', description: 'Outcome of verifyWorkspaceKey.' },
    },
    args: {
      input: t.arg({
        type: VerifyWorkspaceKeyInput,
        required: true,
        description: 'Workspace and checksum.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      result: await verifyWorkspaceKey(ctx, {
        workspaceId: decodeId('Workspace', input.workspaceId),
        checksum: input.checksum,
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
