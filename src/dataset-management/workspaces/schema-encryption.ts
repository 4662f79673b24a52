import { GraphQLError } from 'graphql';
import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { EncryptionError } from '../envelope/dataset-errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { enableEncryption } from './enable-encryption.ts';
import { verifyWorkspaceKey } from './verify-workspace-key.ts';
import { workspacePayload } from './schema.ts';

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
const EnableEncryptionInput = mutationInput('EnableEncryptionInput', {
  description: 'The workspace and the checksum of its key.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
    checksum: t.field(checksum),
  }),
});
mutation('enableEncryption', {
  description:
    "Marks an empty workspace as encrypted, which can't be undone; owners only. REST: POST /api/Workspaces/enableEncryption.",
  input: EnableEncryptionInput,
  inputIs: 'Workspace and checksum.',
  payload: workspacePayload('EnableEncryptionPayload', 'Result of enabling encryption.'),
  failures: [EncryptionError, NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({
    workspace: await enableEncryption(signedIn(ctx), {
      workspaceId: decodeId('Workspace', input.workspaceId),
      checksum: input.checksum,
    }),
  }),
});

const KeyCheckEnum = builder.enumType('KeyCheck', {
  description: "Whether a checksum is that of the workspace's key.",
  values: {
    MATCH: { description: 'It is the key of the workspace.' },
    MISMATCH: { description: 'It is another key, or the workspace is not encrypted.' },
  } as const,
});
const VerifyWorkspaceKeyInput = mutationInput('VerifyWorkspaceKeyInput', {
  description: 'The workspace and the checksum of a key.',
  fields: (t) => ({
    workspaceId: t.id({ required: true, description: 'Global id of the workspace.' }),
    checksum: t.field(checksum),
  }),
});
const VerifyWorkspaceKeyPayload = mutationPayload<{ keyNumber: number | undefined }>(
  'VerifyWorkspaceKeyPayload',
  {
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
    }),
  },
);
mutation('verifyWorkspaceKey', {
  description:
    'Checks, by its checksum, whether a key is that of the workspace. A mutation because it is rate-limited and logged.',
  input: VerifyWorkspaceKeyInput,
  inputIs: 'Workspace and checksum.',
  payload: VerifyWorkspaceKeyPayload,
  failures: [EncryptionError, NotFoundError],
  resolve: async (input, ctx) => ({
    keyNumber: await verifyWorkspaceKey(signedIn(ctx), {
      workspaceId: decodeId('Workspace', input.workspaceId),
      checksum: input.checksum,
    }),
  }),
});
