import { List } from '../../core/lists/list.sql.ts';
import { statement, statementFor, type TypedParams } from '../../core/sql/statement.ts';
import {
  arrayOf,
  date,
  int4,
  int4s,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '../../core/sql/types.ts';

const USAGE_COLUMNS = 'u.path, u.method, u.client, u.parameter, u.hits, u.last_seen';

export const usageRow = {
  path: text,
  method: text,
  client: text,
  parameter: text,
  hits: int8,
  lastSeen: timestamptz,
};

/** Counts from a day on, of one domain or of all. */
export interface UsageRange {
  /** Yyyy-mm-dd. */
  since: string;
  domainId?: number | undefined;
  /** Only those of these names: path, method, client and parameter. */
  named?: readonly (readonly string[])[] | undefined;
}

/** `u`: the counts of a range, summed up per name. */
function usageSource({ since, domainId, named }: UsageRange, params: TypedParams): string {
  const ofDomain = domainId === undefined ? '' : `AND domain_id = ${params.add(int4, domainId)}`;
  const column = (place: number): string =>
    params.add(arrayOf(text), named?.map((names) => names[place] ?? '') ?? []);
  const only = named
    ? `AND (path, method, client, parameter) IN (SELECT * FROM unnest(${[0, 1, 2, 3].map((place) => `${column(place)}::text[]`).join(', ')}))`
    : '';
  return `FROM (SELECT path, method, client, parameter, sum(hits)::bigint AS hits, max(last_seen) AS last_seen FROM legacy_usage
    WHERE day >= ${params.add(date, since)} ${ofDomain} ${only} GROUP BY path, method, client, parameter) u`;
}

/** The counts of a range. */
export const usageIn = statementFor({
  row: usageRow,
  samples: [
    { since: '2026-01-01' },
    { since: '2026-01-01', domainId: 1, named: [['/', 'GET', 'client', '']] },
  ],
  text: (range: UsageRange, params) =>
    `SELECT ${USAGE_COLUMNS} ${usageSource(range, params)} ORDER BY u.path, u.method, u.client, u.parameter`,
});

/** The same, for pages. The path itself comes before its parameters. */
export const usages = new List({
  columns: USAGE_COLUMNS,
  row: usageRow,
  source: (range: UsageRange, params) => `${usageSource(range, params)} WHERE true`,
  order: (['path', 'method', 'client', 'parameter'] as const).map((name) => ({
    name,
    sql: `u.${name}`,
    kind: 'text',
    descending: false,
  })),
  samples: () => [{ since: '2026-01-01', domainId: 1 }],
});

/**
 * The clients that are counted in some domains; 0 stands for no domain. By SQL, because every gateway with legacy clients
 * asks, and Prisma's client, once loaded, takes 90 MB.
 */
export const clientsOf = statement({
  text: 'SELECT DISTINCT domain_id, client FROM legacy_usage WHERE coalesce(domain_id, 0) = ANY ($domainIds)',
  params: { domainIds: int4s },
  row: { domainId: nullable(int4), client: text },
});

/** Adds counts; leaves out domains that were deleted meanwhile. */
export const addUsage = statement({
  text: `INSERT INTO legacy_usage (domain_id, day, method, path, client, parameter, hits, last_seen)
    SELECT u.domain_id, u.day, u.method, u.path, u.client, u.parameter, sum(u.hits), max(u.last_seen)
    FROM jsonb_to_recordset($counts) AS u(domain_id int, day date, method text, path text, client text, parameter text, hits bigint, last_seen timestamptz)
    WHERE u.domain_id IS NULL OR EXISTS (SELECT FROM domain d WHERE d.id = u.domain_id)
    GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (coalesce(domain_id, 0), day, path, method, client, parameter)
    DO UPDATE SET hits = legacy_usage.hits + excluded.hits, last_seen = greatest(legacy_usage.last_seen, excluded.last_seen)`,
  params: { counts: jsonb },
  row: {},
});
