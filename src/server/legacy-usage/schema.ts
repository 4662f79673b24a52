import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { USAGE_DAYS } from '../../core/context/forget-expired.ts';
import type { LegacyUsage } from './legacy-usage.ts';
import { listLegacyUsage } from './list-legacy-usage.ts';
import { loadLegacyUsage, usageKey } from './load-legacy-usage.ts';

const LegacyUsageRef = builder.objectRef<LegacyUsage>('LegacyUsage');

builder.node(LegacyUsageRef, {
  description:
    'How often a client uses a REST path or one of its parameters. Names that the route table does not know are `(unknown)`. With node(id), over the 90 days that are kept.',
  id: { resolve: usageKey },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadLegacyUsage(signedIn(ctx), id),
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path, as documented.' }),
    method: t.exposeString('method', { description: 'HTTP method of the path.' }),
    client: t.exposeString('client', {
      description:
        'Name of the client: the header X-Client-Name, else the product of User-Agent without its version. `(other)` stands for clients beyond the first 50.',
    }),
    parameter: t.exposeString('parameter', {
      nullable: true,
      description:
        'Name of a parameter or header of the path; null for the calls of the path itself.',
    }),
    hits: t.expose('hits', { type: 'SafeInt', description: 'Number of calls.' }),
    lastSeen: t.expose('lastSeen', {
      type: 'DateTime',
      description: 'Time of the last call.',
    }),
    sunset: t.field({
      type: 'LocalDate',
      nullable: true,
      description: 'First day on which the path may be removed; null if it is not deprecated.',
      resolve: ({ deprecation }) => deprecation?.sunset,
    }),
    replacement: t.string({
      nullable: true,
      description: 'What to use instead of the path; null if it is not deprecated.',
      resolve: ({ deprecation }) => deprecation?.successor,
    }),
  }),
});

const { connection: LegacyUsageConnection } = connectionType('LegacyUsage', LegacyUsageRef);

builder.queryField('legacyUsage', (t) =>
  t.connection(
    {
      type: LegacyUsageRef,
      description:
        'Usage of the REST API in your domain, by path: clients and counts, up to ten seconds late. Needs the permission DOMAIN_ADMIN.',
      args: {
        days: t.arg.int({
          required: true,
          defaultValue: 30,
          description: `How many days back, today included; 1 to ${USAGE_DAYS}.`,
        }),
      },
      resolve: (_, { days, ...page }, ctx) =>
        relayPage(listLegacyUsage(signedIn(ctx), { days, page: pageFromConnectionArgs(page) })),
    },
    LegacyUsageConnection,
  ),
);
