import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { timeOf, type AuditLogEntry } from './audit-entry.ts';
import { listAuditLog } from './list-audit-log.ts';
import { loadAuditEntry } from './load-audit-entry.ts';

const AuditSurfaceEnum = builder.enumType('AuditSurface', {
  description: 'How a write came in.',
  values: {
    GRAPHQL: { description: 'A mutation.' },
    REST: { description: 'A REST path.' },
    COMMAND: { description: 'The command line.' },
    IMPORT: { description: 'An import of records.' },
  } as const,
});

const AuditOutcomeEnum = builder.enumType('AuditOutcome', {
  description: 'How a write ended.',
  values: {
    DONE: { description: 'Done, or there was nothing left to do.' },
    REFUSED: { description: 'Refused; `code` says why.' },
    FAILED: { description: 'Failed through a fault of the gateway.' },
  } as const,
});

const AuditEntryRef = builder.objectRef<AuditLogEntry>('AuditEntry');

builder.node(AuditEntryRef, {
  description:
    'Who did what: one write, or one refusal. It contains ids and names of operations, never what was written.',
  id: { resolve: ({ id }) => id },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadAuditEntry(signedIn(ctx), id),
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When it ended.', resolve: timeOf }),
    actor: t.exposeString('actor', {
      description:
        'Who: `user:<id>`, `customer:<id>`, `scim:<id>` for a directory, `operator` on the command line, `unknown` without a session.',
    }),
    login: t.exposeString('login', {
      nullable: true,
      description: 'Login of the user; null for others, and when the user no longer exists.',
    }),
    surface: t.expose('surface', {
      type: AuditSurfaceEnum,
      nullable: true,
      description: 'How it came in; null in entries from before this was recorded.',
    }),
    operation: t.exposeString('action', {
      description: 'Name of the mutation, of the operation of a REST path, or of the command.',
    }),
    objects: t.stringList({
      description: 'What it is about: up to 100 `<type>:<id>`, as in a decoded global id.',
      resolve: ({ objects }) => objects ?? [],
    }),
    detail: t.string({
      nullable: true,
      description: 'More about it: ids and names that the gateway itself gave.',
      resolve: ({ target }) => target || null,
    }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'Address of the client.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'Id of the request, as in logs and in the header X-Request-Id.',
    }),
    outcome: t.expose('outcome', { type: AuditOutcomeEnum, description: 'How it ended.' }),
    code: t.exposeString('code', { nullable: true, description: 'Code of the refusal.' }),
    times: t.exposeInt('times', {
      description: 'How often the same was refused to the same caller within the hour; else 1.',
    }),
  }),
});

const { connection: AuditEntryConnection } = connectionType('AuditEntry', AuditEntryRef);

builder.objectField(ViewerRef, 'auditLog', (t) =>
  t.connection(
    {
      type: AuditEntryRef,
      description:
        'Who did what in your domain, the newest first. Needs the permission DOMAIN_ADMIN.',
      args: {
        days: t.arg.int({
          required: true,
          defaultValue: 30,
          description: 'How many days back; at most as many as are kept (AUDIT_DAYS, 400).',
        }),
        user: t.arg.string({ description: 'Only what the user with this login did.' }),
        operation: t.arg.string({ description: 'Only this operation, such as deleteDataset.' }),
        object: t.arg.id({
          description: 'Only what is about this object: its global id, or `<type>:<id>`.',
        }),
      },
      resolve: (_, { days, user, operation, object, ...page }, ctx) =>
        relayPage(
          listAuditLog(signedIn(ctx), {
            ...{ days, user, operation, object },
            page: pageFromConnectionArgs(page),
          }),
        ),
    },
    AuditEntryConnection,
  ),
);
