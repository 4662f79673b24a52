import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput } from '../../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError } from '../../../core/errors.ts';
import { EncryptionError } from '../../envelope/dataset-errors.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { workspacePayload, WorkspaceRef } from '../schema.ts';
import type { Workspace } from '../workspace.ts';
import { beginKeyRotation } from './begin-key-rotation.ts';
import { cancelKeyRotation } from './cancel-key-rotation.ts';
import { finishKeyRotation } from './finish-key-rotation.ts';
import { loadImagesLeft } from './load-images-left.ts';

const KeyRotationRef = builder.objectRef<Workspace>('KeyRotation').implement({
  description: 'The move of an encrypted workspace to another key; both keys are valid.',
  fields: (t) => ({
    oldKeyNumber: t.int({
      description: 'Number of the key that is being left.',
      resolve: ({ oldKeyNumber }) => oldKeyNumber ?? 0,
    }),
    keyNumber: t.exposeInt('keyNumber', {
      description: 'Number of the key under which new images are encrypted.',
    }),
    imagesLeft: t.int({
      description: 'Images that are still encrypted under the old key.',
      resolve: async ({ id }, _, ctx) => (await loadImagesLeft(signedIn(ctx), id)).live,
    }),
    deletedImagesLeft: t.int({
      description: 'Deleted images under the old key, which could still come back.',
      resolve: async ({ id }, _, ctx) => (await loadImagesLeft(signedIn(ctx), id)).deleted,
    }),
  }),
});

builder.objectFields(WorkspaceRef, (t) => ({
  keyNumber: t.int({
    nullable: true,
    description:
      'Number of the key under which new images are encrypted, from 1; null if the workspace is not encrypted.',
    resolve: ({ encrypted, keyNumber }) => (encrypted ? keyNumber : null),
  }),
  keyRotation: t.field({
    type: KeyRotationRef,
    nullable: true,
    description: 'The move to another key; null if none is under way.',
    resolve: (workspace) => (workspace.oldKeyNumber === null ? null : workspace),
  }),
}));

const workspaceId = { required: true, description: 'Global id of the workspace.' } as const;
const errorTypes = [EncryptionError, NotFoundError, ForbiddenError];

const BeginKeyRotationInput = mutationInput('BeginKeyRotationInput', {
  description: 'An encrypted workspace, and the checksums of both keys.',
  fields: (t) => ({
    workspaceId: t.id(workspaceId),
    checksum: t.field({
      type: 'EncryptionChecksum',
      required: true,
      description: 'Checksum of the current key for this workspace.',
    }),
    newChecksum: t.field({
      type: 'EncryptionChecksum',
      required: true,
      description: 'Checksum of the new key for this workspace.',
    }),
  }),
});
mutation('beginKeyRotation', {
  description:
    'Begins to move an encrypted workspace to another key: new images are encrypted under it, and both keys are valid until finishKeyRotation. Owners only.',
  input: BeginKeyRotationInput,
  inputIs: 'Workspace and checksums.',
  payload: workspacePayload(
    'BeginKeyRotationPayload',
    'Result of beginning to move to another key.',
  ),
  failures: errorTypes,
  resolve: async (input, ctx) => ({
    workspace: await beginKeyRotation(signedIn(ctx), {
      workspaceId: decodeId('Workspace', input.workspaceId),
      checksum: input.checksum,
      newChecksum: input.newChecksum,
    }),
  }),
});

const FinishKeyRotationInput = mutationInput('FinishKeyRotationInput', {
  description: 'A workspace that is moved to another key.',
  fields: (t) => ({
    workspaceId: t.id(workspaceId),
    forgetDeleted: t.boolean({
      description: 'Give up deleted images under the old key, which could still come back.',
    }),
  }),
});
mutation('finishKeyRotation', {
  description:
    'Ends the move to another key: the old one is valid no more. Refused while images are encrypted under it. Owners only.',
  input: FinishKeyRotationInput,
  inputIs: 'The workspace.',
  payload: workspacePayload(
    'FinishKeyRotationPayload',
    'Result of ending the move to another key.',
  ),
  failures: errorTypes,
  resolve: async (input, ctx) => ({
    workspace: await finishKeyRotation(signedIn(ctx), {
      workspaceId: decodeId('Workspace', input.workspaceId),
      forgetDeleted: input.forgetDeleted ?? false,
    }),
  }),
});

const CancelKeyRotationInput = mutationInput('CancelKeyRotationInput', {
  description: 'A workspace that is moved to another key.',
  fields: (t) => ({ workspaceId: t.id(workspaceId) }),
});
mutation('cancelKeyRotation', {
  description:
    'Turns the move to another key round: new images are encrypted under the previous key again. Over at once if the new key encrypts no image, else after these are moved back. Owners only.',
  input: CancelKeyRotationInput,
  inputIs: 'The workspace.',
  payload: workspacePayload('CancelKeyRotationPayload', 'Result of turning the move round.'),
  failures: errorTypes,
  resolve: async (input, ctx) => ({
    workspace: await cancelKeyRotation(signedIn(ctx), {
      workspaceId: decodeId('Workspace', input.workspaceId),
    }),
  }),
});
