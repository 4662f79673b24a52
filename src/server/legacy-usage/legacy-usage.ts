import type { Cell } from '../../core/wire/wire.ts';
import { AppError } from '../../core/errors.ts';
import { USAGE_DAYS } from '../../core/context/forget-expired.ts';
import type { Params } from '../../core/lists/pagination.ts';
import { epochMillis } from '../../core/time.ts';
import { deprecations, type Deprecation } from '../routes/deprecations.ts';

/** How much a path, or a parameter of it, is used by a client. */
export interface LegacyUsage {
  path: string;
  method: string;
  client: string;
  /** Null: the path itself. */
  parameter: string | null;
  hits: number;
  lastSeen: Date;
  deprecation: Deprecation | null;
}

/** Of `u` (usageSql); for usageFromCells. */
export const USAGE_COLUMNS = 'u.path, u.method, u.client, u.parameter, u.hits, u.last_seen';

/** FROM of the counts of the last days, of one domain or of all: one row for each name, over the days. Throws E900 for days out of range. */
export function usageSql(
  args: { days: number; domainId?: number | undefined; now: number },
  params: Params,
): string {
  if (args.days < 1 || args.days > USAGE_DAYS)
    throw new AppError('E900', { message: `days must be between 1 and ${USAGE_DAYS}` });
  const since = new Date(args.now - (args.days - 1) * 86_400_000).toISOString().slice(0, 10);
  const domain =
    args.domainId === undefined ? '' : `AND domain_id = ${params.add(args.domainId)}::int`;
  return `(SELECT path, method, client, parameter, sum(hits) AS hits, max(last_seen) AS last_seen FROM legacy_usage
    WHERE day >= ${params.add(since)}::date ${domain} GROUP BY path, method, client, parameter) u`;
}

export function usageFromCells([
  path,
  method,
  client,
  parameter,
  hits,
  lastSeen,
]: readonly Cell[]): LegacyUsage {
  return {
    path: path ?? '',
    method: method ?? '',
    client: client ?? '',
    parameter: parameter || null,
    hits: Number(hits),
    lastSeen: new Date(epochMillis(lastSeen ?? '')),
    deprecation: deprecations[path ?? ''] ?? null,
  };
}
