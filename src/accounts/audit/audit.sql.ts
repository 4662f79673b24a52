import { List } from '../../core/lists/list.sql.ts';
import { statement, statementFor, type TypedParams } from '../../core/sql/statement.ts';
import {
  instantText,
  int4,
  int4s,
  int8,
  int8s,
  nullable,
  oneOf,
  text,
  texts,
  timestamptz,
} from '../../core/sql/types.ts';

const COLUMNS =
  'a.id, a.at, a.actor, u.login, a.surface, a.action, a.objects, a.target, a.address, a.request_id, a.outcome, a.code, a.times, d.name AS domain';
const FROM =
  'FROM audit_log a LEFT JOIN "user" u ON u.id = a.user_id LEFT JOIN domain d ON d.id = a.domain_id';

export const auditRow = {
  id: int8,
  at: instantText,
  actor: text,
  login: nullable(text),
  surface: nullable(oneOf('GRAPHQL', 'REST', 'COMMAND', 'IMPORT')),
  action: text,
  objects: nullable(texts),
  target: text,
  address: nullable(text),
  requestId: nullable(text),
  outcome: oneOf('DONE', 'REFUSED', 'FAILED'),
  code: nullable(text),
  times: int4,
  domain: nullable(text),
};

/** Which entries; undefined does not filter. */
export interface AuditFilter {
  since: Date;
  domainId?: number | undefined;
  userId?: number | undefined;
  operation?: string | undefined;
  /** What entries name, `<type>:<id>`; are these few? */
  object?: { name: string; few: boolean } | undefined;
}

/** Where an entry stands in the order of time. */
export interface AuditPlace {
  /** ISO 8601. */
  at: string;
  id: number;
}

/** Entries that name an object are few up to this number. */
export const FEW = 10_000;

/** Few entries are looked up by the object; of many, some are soon found in the order of time. */
function namesSql({ name, few }: { name: string; few: boolean }, params: TypedParams): string {
  const names = `objects @> ARRAY[${params.add(text, name)}]`;
  return few ? `a.id = ANY (ARRAY(SELECT o.id FROM audit_log o WHERE o.${names}))` : `a.${names}`;
}

/** How many entries name an object, of all domains, up to one more than `FEW`. */
export const countNaming = statement({
  text: `SELECT count(*) AS entries FROM (SELECT FROM audit_log a WHERE a.objects @> ARRAY[$name] LIMIT ${FEW + 1}) o`,
  params: { name: text },
  row: { entries: int8 },
});

/**
 * PostgreSQL would look for a domain of few entries among those of all, in the order of time. It reads by the index of
 * domains where times are bounded together with the domain and the order begins with the domain, which it does only
 * for one out of a list: a column that equals one value is left out of the order. A position bounds times alone: only
 * then does it begin to read there.
 */
function auditSource(filter: AuditFilter, params: TypedParams): string {
  const { since, domainId, userId, operation, object } = filter;
  const from = params.add(timestamptz, since);
  const domain = domainId === undefined ? undefined : `${params.add(int4, domainId)}::int`;
  const conditions = [
    ...(domain === undefined
      ? [`a.at >= ${from}`]
      : [`(a.domain_id, a.at) >= (${domain}, ${from})`, `a.domain_id = ANY (ARRAY[${domain}])`]),
    ...(userId === undefined ? [] : [`a.user_id = ${params.add(int4, userId)}`]),
    ...(operation === undefined ? [] : [`a.action = ${params.add(text, operation)}`]),
    ...(object === undefined ? [] : [namesSql(object, params)]),
  ];
  return `${FROM} WHERE ${conditions.join(' AND ')}`;
}

const samples: readonly AuditFilter[] = [
  { since: new Date(0) },
  ...[true, false].map((few) => ({
    ...{ since: new Date(0), domainId: 1, userId: 1, operation: 'signIn' },
    object: { name: 'Feed:1', few },
  })),
];

/** Entries of one domain, the newest first. */
export const auditEntries = new List({
  columns: COLUMNS,
  row: auditRow,
  source: auditSource,
  order: [
    { name: 'at', sql: 'a.at', kind: 'instant', descending: true, within: 'a.domain_id' },
    { name: 'id', sql: 'a.id', kind: 'key', descending: true },
  ],
  samples: () => samples,
});

/**
 * Entries behind another one, the oldest first: for an export in steps. By their time: ids of entries that came with a
 * domain do not grow with it.
 */
export const auditExport = statementFor({
  row: auditRow,
  samples: samples.flatMap((filter) =>
    [undefined, { at: '2026-01-01T00:00:00.000Z', id: 1 }].map((after) => ({
      filter,
      after,
      limit: 1,
    })),
  ),
  text: (
    { filter, after, limit }: { filter: AuditFilter; after: AuditPlace | undefined; limit: number },
    params,
  ) =>
    `SELECT ${COLUMNS} ${auditSource(filter, params)} ${after ? `AND (a.at, a.id) > (${params.add(timestamptz, new Date(after.at))}, ${params.add(int8, after.id)})` : ''}
      ORDER BY ${filter.domainId === undefined ? '' : 'a.domain_id, '}a.at, a.id LIMIT ${params.add(int8, limit)}`,
});

/** Entries of a domain by their ids. */
export const auditById = statement({
  text: `SELECT ${COLUMNS} ${FROM} WHERE a.id = ANY ($ids) AND a.domain_id = $domainId`,
  params: { ids: int8s, domainId: int4 },
  row: auditRow,
});

/** Counts refusals that are the same as those of their entries. */
export const addRefusals = statement({
  text: `UPDATE audit_log a SET times = a.times + u.more FROM unnest($ids::bigint[], $more::int[]) AS u(id, more) WHERE a.id = u.id`,
  params: { ids: int8s, more: int4s },
  row: {},
});
