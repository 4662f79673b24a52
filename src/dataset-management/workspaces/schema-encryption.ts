import { GraphQLError } from 'graphql';
import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { asSent, returnedAsSent } from '../envelope/schema-errors.ts';
import { enableEncryption } from './enable-encryption.ts';
import { verifyWorkspaceKey } from './verify-workspace-key.ts';
import type { Workspace } from './workspace.ts';
import { WorkspaceRef } from './schema.ts';

builder.scalarType('EncryptionChecksum', {
  description:
    'Checksum of a key: the base64 of a SHA-256 digest, exactly 44 characters, in its canonical form.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (
      typeof value === 'string' &&
      value.length === 44 &&
      Buffer.from(value, 'base64').length === 32 &&
      Buffer.from(value, 'base64').toString('base64') === value
    )
      return value;
    throw new GraphQLError('Expected a checksum, the base64 of 32 bytes, of 44 characters', {
      extensions: { code: 'INVALID_CHECKSUM', legacyCode: 'E900' },
    });
  },
});

const checksum = {
  type: 'EncryptionChecksum',
  required: true,
  description: 'Checksum of the key for this workspace; trivium/e2ee computes it.',
} as const;
const EnableEncryptionInput = builder.inputType('EnableEncryptionInput', {
  description: 'The workspace and the checksum of its key.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
    checksum: t.field(checksum),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const EnableEncryptionPayload = builder
  .objectRef<{ workspace: Workspace; clientMutationId: string | null | undefined }>(
    'EnableEncryptionPayload',
  )
  .implement({
    description: 'Result of enabling encryption.',
    fields: (t) => ({
      workspace: t.expose('workspace', {
        type: WorkspaceRef,
        description: 'The workspace as it is now.',
      }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('enableEncryption', (t) =>
  t.field({
    type: EnableEncryptionPayload,
    description:
      "Marks an empty workspace as encrypted, which can't be undone; owners only. REST: POST /api/Workspaces/enableEncryption.",
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
      workspace: await enableEncryption(signedIn(ctx), {
        workspaceId: decodeId('Workspace', input.workspaceId),
        checksum: input.checksum,
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const KeyCheckEnum = builder.enumType('KeyCheck', {
  description: "Whether a checksum is that of the workspace's key.",
  values: {
    MATCH: { description: 'It is the key of the workspace.' },
    MISMATCH: { description: 'It is another key, or the workspace is not encrypted.' },
  } as const,
});
const VerifyWorkspaceKeyInput = builder.inputType('VerifyWorkspaceKeyInput', {
  description: 'The workspace and the checksum of a key.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
    checksum: t.field(checksum),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const VerifyWorkspaceKeyPayload = builder
  .objectRef<{ keyNumber: number | undefined; clientMutationId: string | null | undefined }>(
    'VerifyWorkspaceKeyPayload',
  )
  .implement({
    description: 'Result of the comparison.',
    fields: (t) => ({
      result: t.field({
        type: KeyCheckEnum,
        description: 'Whether it is the key of the workspace.',
        resolve: ({ keyNumber }) => (keyNumber === undefined ? 'MISMATCH' : 'MATCH'),
      }),
      keyNumber: t.int({
        nullable: true,
        description:
          'Its number, by which images name the key that encrypts them; null if it is another key.',
        resolve: ({ keyNumber }) => keyNumber ?? null,
      }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('verifyWorkspaceKey', (t) =>
  t.field({
    type: VerifyWorkspaceKeyPayload,
    description:
      'Checks, by its checksum, whether a key is that of the workspace. A mutation because it is rate-limited and logged.',
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
      keyNumber: await verifyWorkspaceKey(signedIn(ctx), {
        workspaceId: decodeId('Workspace', input.workspaceId),
        checksum: input.checksum,
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
