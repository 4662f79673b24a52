import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { exposeDates } from '../credentials/schema.ts';
import type { ApiKey } from './api-key.ts';
import type { IssuedApiKey } from './create-api-key.ts';
import { issueApiKey } from './issue-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { loadApiKey } from './load-api-key.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey');

builder.node(ApiKeyRef, {
  description:
    'A key with which a customer sends tasks. It is shown once, by issueApiKey; this is what is known of it.',
  id: { resolve: (key) => key.id },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadApiKey(signedIn(ctx), id),
  fields: (t) => ({
    customerId: t.exposeString('customerId', {
      description: 'Id of the customer to whom it was issued. REST: header customerId.',
    }),
    prefix: t.exposeString('prefix', {
      description: 'First characters of the key, which identify it, e.g. ttk_1f0c22ab.',
    }),
  }),
});
exposeDates(ApiKeyRef);

builder.objectField(ViewerRef, 'apiKeys', (t) =>
  t.field({
    type: [ApiKeyRef],
    extensions: costs({ rows: 100 }),
    description:
      'API keys of the domain, at most 1,000: those that were revoked come last. Needs the permission DOMAIN_ADMIN.',
    resolve: (_, __, ctx) => listApiKeys(signedIn(ctx)),
  }),
);

const IssueApiKeyInput = mutationInput('IssueApiKeyInput', {
  description: 'The customer for whom to issue a key.',
  fields: (t) => ({
    customerId: t.string({
      required: true,
      description:
        'Id of the customer, who is created if new: 1 to 64 letters, digits, dots, dashes, underscores.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the key expires; by default never.',
    }),
  }),
});

const IssueApiKeyPayload = mutationPayload<IssuedApiKey>('IssueApiKeyPayload', {
  description: 'A new API key.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'The key itself, which is shown only now. REST: header API-Key.',
    }),
    apiKey: t.expose('apiKey', {
      type: ApiKeyRef,
      description: "The key's data, without the key itself.",
    }),
  }),
});

mutation('issueApiKey', {
  description:
    'Issues an API key to a customer of your domain, who may have two valid keys at a time, for rotation. Needs the permission DOMAIN_ADMIN. Accepts no idempotency key, because the result is never stored.',
  input: IssueApiKeyInput,
  inputIs: 'The customer.',
  payload: IssueApiKeyPayload,
  failures: [ValidationError, ForbiddenError],
  resolve: (input, ctx) => issueApiKey(signedIn(ctx), input),
});

const RevokeApiKeyInput = mutationInput('RevokeApiKeyInput', {
  description: 'The key to revoke.',
  fields: (t) => ({
    keyId: t.id({ required: true, description: 'Global id or prefix of the key.' }),
  }),
});

const RevokeApiKeyPayload = mutationPayload<{ apiKey: ApiKey }>('RevokeApiKeyPayload', {
  description: 'Result of revoking a key.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyRef, description: 'The key as it is now.' }),
  }),
});

mutation('revokeApiKey', {
  description: 'Revokes an API key of your domain at once. Needs the permission DOMAIN_ADMIN.',
  input: RevokeApiKeyInput,
  inputIs: 'The key.',
  payload: RevokeApiKeyPayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({ apiKey: await revokeApiKey(signedIn(ctx), input) }),
});
