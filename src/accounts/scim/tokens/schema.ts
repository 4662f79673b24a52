import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import type { Context } from '../../../core/context/context.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../../core/errors.ts';
import '../../../core/graphql/user-errors.ts';
import { ViewerRef } from '../../../core/graphql/viewer-type.ts';
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
  id: { resolve: (token) => token.id, description: 'Opaque global id.' },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadScimToken(signedIn(ctx), id),
  fields: (t) => ({
    prefix: t.exposeString('prefix', {
      description: 'First characters of the token, which identify it, e.g. tsc_1f0c22ab.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was issued.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null if never.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    revokedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null if it was not.',
      resolve: ({ revokedAt }) => revokedAt?.toISOString(),
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null if never.',
      resolve: ({ lastUsedAt }) => lastUsedAt?.toISOString(),
    }),
  }),
});

builder.objectField(ViewerRef, 'scimTokens', (t) =>
  t.field({
    type: [ScimTokenRef],
    extensions: costs({ rows: 100 }),
    description:
      'SCIM tokens of the domain, including revoked and expired ones. Needs the permission DOMAIN_ADMIN.',
    resolve: (_, __, ctx) => listScimTokens(signedIn(ctx)),
  }),
);

const IssueScimTokenInput = builder.inputType('IssueScimTokenInput', {
  description: 'The token to issue.',
  fields: (t) => ({
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the token expires; by default never.',
    }),
    clientMutationId: t.string({
      description: 'Text of your choice, returned unchanged in the payload.',
    }),
  }),
});

const IssueScimTokenPayload = builder
  .objectRef<IssuedScimToken & { clientMutationId: string | null | undefined }>(
    'IssueScimTokenPayload',
  )
  .implement({
    description: 'A new SCIM token.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The token itself, which is shown only now. SCIM: Authorization: Bearer.',
      }),
      scimToken: t.expose('scimToken', {
        type: ScimTokenRef,
        description: "The token's data, without the token itself.",
      }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'The clientMutationId of the input; null if none was sent.',
      }),
    }),
  });

builder.mutationField('issueScimToken', (t) =>
  t.field({
    type: IssueScimTokenPayload,
    description:
      'Issues a SCIM token for your domain, which may have two valid ones at a time, for rotation. Needs the permission DOMAIN_ADMIN. Accepts no idempotency key, because the result is never stored.',
    errors: {
      types: [ValidationError, ForbiddenError],
      union: { name: 'IssueScimTokenResult', description: 'Outcome of issueScimToken.' },
    },
    args: {
      input: t.arg({ type: IssueScimTokenInput, required: true, description: 'The token.' }),
    },
    resolve: async (_, { input }, ctx: Context) => ({
      ...(await issueScimToken(signedIn(ctx), input)),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const RevokeScimTokenInput = builder.inputType('RevokeScimTokenInput', {
  description: 'The token to revoke.',
  fields: (t) => ({
    tokenId: t.id({ required: true, description: 'Global id or prefix of the token.' }),
    clientMutationId: t.string({
      description: 'Text of your choice, returned unchanged in the payload.',
    }),
  }),
});

const RevokeScimTokenPayload = builder
  .objectRef<{ scimToken: ScimToken; clientMutationId: string | null | undefined }>(
    'RevokeScimTokenPayload',
  )
  .implement({
    description: 'Result of revoking a token.',
    fields: (t) => ({
      scimToken: t.expose('scimToken', {
        type: ScimTokenRef,
        description: 'The token as it is now.',
      }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'The clientMutationId of the input; null if none was sent.',
      }),
    }),
  });

builder.mutationField('revokeScimToken', (t) =>
  t.field({
    type: RevokeScimTokenPayload,
    description: 'Revokes a SCIM token of your domain at once. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'RevokeScimTokenResult', description: 'Outcome of revokeScimToken.' },
    },
    args: {
      input: t.arg({ type: RevokeScimTokenInput, required: true, description: 'The token.' }),
    },
    resolve: async (_, { input }, ctx: Context) => ({
      scimToken: await revokeScimToken(signedIn(ctx), input),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
