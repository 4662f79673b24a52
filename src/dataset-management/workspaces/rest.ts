import * as z from 'zod';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { envelopeOf, envelopeShape, EXAMPLE_ID } from '../envelope/envelope-shapes.ts';
import { creationRoute, datasetRoute, deletionRoute } from '../envelope/present-envelope.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { allRows, explainChange, pagedInGraphQL } from '../envelope/explain-dataset-request.ts';
import {
  emptyTextParameter,
  idempotencyKey,
  idParameter,
  noParameters,
} from '../envelope/input-parameters.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { enableEncryption } from './enable-encryption.ts';
import { listWorkspaces } from './list-workspaces.ts';

const workspaceId = idParameter('body', 'The workspace.', 'WORKSPACE_ID_REQUIRED');
const once = idempotencyKey(
  'The same workspace with the same key is created once in 24 hours.',
  'workspace-1',
);

const workspaceInfo = z
  .object({ id: z.uuid(), name: z.string(), encrypted: z.boolean() })
  .meta({ id: 'WorkspaceInfo' });

export const workspaceRoutes: readonly Route[] = [
  datasetRoute({
    method: 'GET',
    path: '/api/Workspaces',
    operation: 'listWorkspaces',
    summary: 'Lists the workspaces of the session user.',
    request: noParameters,
    answer: jsonAnswer(
      envelopeShape('WorkspaceListEnvelope', 'WorkspaceInfoDtos', z.array(workspaceInfo)),
      envelopeOf([{ id: EXAMPLE_ID, name: 'Stores', encrypted: false }]),
    ),
    run: async (ctx) =>
      (await listWorkspaces(ctx)).map(({ id, name, encrypted }) => ({ id, name, encrypted })),
    explain: () => ({
      steps: [{ field: 'viewer' }, { field: 'workspaces', args: allRows }],
      select: 'nodes { uuid name encrypted } pageInfo { hasNextPage endCursor }',
      notes: [pagedInGraphQL],
    }),
  }),
  creationRoute({
    method: 'POST',
    path: '/api/Workspaces/create',
    operation: 'createWorkspace',
    summary: 'Creates a workspace and returns its id.',
    request: z.object({
      'Idempotency-Key': once,
      name: emptyTextParameter('Name.', { minLength: 1, maxLength: 200, example: 'Stores' }),
    }),
    errors: ['NAME_REQUIRED', 'NAME_TOO_LONG', 'VALIDATION_ERROR'],
    run: (ctx, { 'Idempotency-Key': key, ...args }) =>
      createWorkspace(ctx, { ...args, idempotencyKey: key }),
    explain: ({ 'Idempotency-Key': key, ...args }) =>
      explainChange(
        'createWorkspace',
        { ...args, idempotencyKey: key },
        {
          payload: 'CreateWorkspacePayload',
          selection: 'workspace { id uuid }',
        },
      ),
  }),
  deletionRoute({
    method: 'POST',
    path: '/api/Workspaces/delete',
    operation: 'deleteWorkspace',
    summary: 'Deletes a workspace with all that it holds.',
    request: z.object({ workspaceId }),
    errors: ['WORKSPACE_ID_REQUIRED', 'INVALID_ID', 'WORKSPACE_NOT_FOUND', 'FORBIDDEN'],
    run: deleteWorkspace,
    explain: (args) =>
      explainChange(
        'deleteWorkspace',
        { workspaceId: encodeGlobalId('Workspace', args.workspaceId) },
        { payload: 'DeletePayload', selection: 'deletedId undoToken' },
      ),
  }),
  datasetRoute({
    method: 'POST',
    path: '/api/Workspaces/enableEncryption',
    operation: 'enableEncryption',
    summary: 'Marks an empty workspace as encrypted and stores the checksum of its key.',
    request: z.object({
      workspaceId,
      checksum: emptyTextParameter('Base64 of the checksum of the key.', {
        minLength: 44,
        maxLength: 44,
      }),
    }),
    errors: [
      'WORKSPACE_ID_REQUIRED',
      'INVALID_ID',
      'INVALID_CHECKSUM',
      'WORKSPACE_NOT_FOUND',
      'WORKSPACE_NOT_EMPTY',
      'ALREADY_ENCRYPTED',
      'FORBIDDEN',
    ],
    run: async (ctx, args) => void (await enableEncryption(ctx, args)),
    explain: (args) => {
      const input = {
        workspaceId: encodeGlobalId('Workspace', args.workspaceId),
        checksum: args.checksum,
      };
      return explainChange('enableEncryption', input, {
        payload: 'EnableEncryptionPayload',
        selection: 'workspace { uuid encrypted }',
        notes: [
          'REST takes any 44 characters as the checksum, GraphQL canonical base64 of 32 bytes only.',
        ],
      });
    },
  }),
];
