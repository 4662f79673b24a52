import { builder } from '../../core/graphql/builder.ts';
import type { Context } from '../../core/context/context.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import '../../core/graphql/user-errors.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import type { ApiKey } from './api-key.ts';
import type { IssuedApiKey } from './create-api-key.ts';
import { issueApiKey } from './issue-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'A key with which a customer sends tasks. The key itself is never told again.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the key.' }),
    customerId: t.exposeString('customerId', {
      description: 'The customer. REST: header customerId.',
    }),
    prefix: t.exposeString('prefix', { description: 'How the key begins.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was issued.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ends by itself.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    revokedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked.',
      resolve: ({ revokedAt }) => revokedAt?.toISOString(),
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Last use, to the minute.',
      resolve: ({ lastUsedAt }) => lastUsedAt?.toISOString(),
    }),
  }),
});

builder.objectField(ViewerRef, 'apiKeys', (t) =>
  t.field({
    type: [ApiKeyRef],
    extensions: costs({ rows: 100 }),
    description: 'API keys of the domain, dead ones too. Needs the permission DOMAIN_ADMIN.',
    resolve: (_, __, ctx) => listApiKeys(ctx),
  }),
);

const IssueApiKeyInput = builder.inputType('IssueApiKeyInput', {
  description: 'Who gets a key.',
  fields: (t) => ({
    customerId: t.string({
      required: true,
      description:
        'The customer; made if it is new. 1 to 64 letters, digits, dots, dashes, underscores.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the key ends by itself; never when left out.',
    }),
    clientMutationId: t.string({ description: 'Returned as it was sent.' }),
  }),
});

const IssueApiKeyPayload = builder
  .objectRef<IssuedApiKey & { clientMutationId: string | null | undefined }>('IssueApiKeyPayload')
  .implement({
    description: 'A new API key.',
    fields: (t) => ({
      key: t.exposeString('key', { description: 'Shown once. REST: header API-Key.' }),
      apiKey: t.expose('apiKey', { type: ApiKeyRef, description: 'What may be told of it.' }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'As it was sent.',
      }),
    }),
  });

builder.mutationField('issueApiKey', (t) =>
  t.field({
    type: IssueApiKeyPayload,
    description:
      'Issues an API key to a customer of your domain; at most two live ones, for rotation. Needs the permission DOMAIN_ADMIN. Takes no idempotency key, for the answer is never stored.',
    errors: {
      types: [ValidationError, ForbiddenError],
      union: { name: 'IssueApiKeyResult', description: 'Outcome of issueApiKey.' },
    },
    args: {
      input: t.arg({ type: IssueApiKeyInput, required: true, description: 'The customer.' }),
    },
    resolve: async (_, { input }, ctx: Context) => ({
      ...(await issueApiKey(ctx, input)),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const RevokeApiKeyInput = builder.inputType('RevokeApiKeyInput', {
  description: 'Which key ends.',
  fields: (t) => ({
    keyId: t.id({ required: true, description: 'Id or prefix of the key.' }),
    clientMutationId: t.string({ description: 'Returned as it was sent.' }),
  }),
});

const RevokeApiKeyPayload = builder
  .objectRef<{ apiKey: ApiKey; clientMutationId: string | null | undefined }>('RevokeApiKeyPayload')
  .implement({
    description: 'The key opens nothing any more.',
    fields: (t) => ({
      apiKey: t.expose('apiKey', { type: ApiKeyRef, description: 'The key as it is now.' }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'As it was sent.',
      }),
    }),
  });

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: RevokeApiKeyPayload,
    description: 'Revokes an API key of your domain at once. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'RevokeApiKeyResult', description: 'Outcome of revokeApiKey.' },
    },
    args: { input: t.arg({ type: RevokeApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_, { input }, ctx: Context) => ({
      apiKey: await revokeApiKey(ctx, input),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
