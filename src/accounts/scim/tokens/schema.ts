import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../../core/errors.ts';
import { ViewerRef } from '../../../core/graphql/viewer-type.ts';
import { exposeDates } from '../../credentials/schema.ts';
import type { IssuedScimToken } from './create-scim-token.ts';
import { issueScimToken } from './issue-scim-token.ts';
import { listScimTokens } from './list-scim-tokens.ts';
import { loadScimToken } from './load-scim-token.ts';
import { revokeScimToken } from './revoke-scim-token.ts';
import type { ScimToken } from './scim-token.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

const ScimTokenRef = builder.objectRef<ScimToken>('ScimToken');

builder.node(ScimTokenRef, {
  description:
    'A token with which a directory manages the users of the domain by SCIM. It is shown once, by issueScimToken; this is what is known of it.',
  id: { resolve: (token) => token.id },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadScimToken(signedIn(ctx), id),
  fields: (t) => ({
    prefix: t.exposeString('prefix', {
      description: 'First characters of the token, which identify it, e.g. tsc_1f0c22ab.',
    }),
  }),
});
exposeDates(ScimTokenRef);

builder.objectField(ViewerRef, 'scimTokens', (t) =>
  t.field({
    type: [ScimTokenRef],
    extensions: costs({ rows: 100 }),
    description:
      'SCIM tokens of the domain, at most 1,000: those that were revoked come last. Needs the permission DOMAIN_ADMIN.',
    resolve: (_, __, ctx) => listScimTokens(signedIn(ctx)),
  }),
);

const IssueScimTokenInput = mutationInput('IssueScimTokenInput', {
  description: 'The token to issue.',
  fields: (t) => ({
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the token expires; by default never.',
    }),
  }),
});

const IssueScimTokenPayload = mutationPayload<IssuedScimToken>('IssueScimTokenPayload', {
  description: 'A new SCIM token.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'The token itself, which is shown only now. SCIM: Authorization: Bearer.',
    }),
    scimToken: t.expose('scimToken', {
      type: ScimTokenRef,
      description: "The token's data, without the token itself.",
    }),
  }),
});

mutation('issueScimToken', {
  description:
    'Issues a SCIM token for your domain, which may have two valid ones at a time, for rotation. Needs the permission DOMAIN_ADMIN. Accepts no idempotency key, because the result is never stored.',
  input: IssueScimTokenInput,
  inputIs: 'The token.',
  payload: IssueScimTokenPayload,
  failures: [ValidationError, ForbiddenError],
  resolve: (input, ctx) => issueScimToken(signedIn(ctx), input),
});

const RevokeScimTokenInput = mutationInput('RevokeScimTokenInput', {
  description: 'The token to revoke.',
  fields: (t) => ({
    tokenId: t.id({ required: true, description: 'Global id or prefix of the token.' }),
  }),
});

const RevokeScimTokenPayload = mutationPayload<{ scimToken: ScimToken }>('RevokeScimTokenPayload', {
  description: 'Result of revoking a token.',
  fields: (t) => ({
    scimToken: t.expose('scimToken', {
      type: ScimTokenRef,
      description: 'The token as it is now.',
    }),
  }),
});

mutation('revokeScimToken', {
  description: 'Revokes a SCIM token of your domain at once. Needs the permission DOMAIN_ADMIN.',
  input: RevokeScimTokenInput,
  inputIs: 'The token.',
  payload: RevokeScimTokenPayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({ scimToken: await revokeScimToken(signedIn(ctx), input) }),
});
