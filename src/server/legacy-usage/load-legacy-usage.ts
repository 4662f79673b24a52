import { z } from 'zod';
import type { Context } from '../../core/context/context.ts';
import { USAGE_DAYS } from '../../core/context/forget-expired.ts';
import { Params } from '../../core/lists/pagination.ts';
import { isStorable } from '../../core/text.ts';
import { USAGE_COLUMNS, usageFromCells, usageSql, type LegacyUsage } from './legacy-usage.ts';

const name = z.string().max(200).refine(isStorable);
const names = z.tuple([name, name, name, name]);

/** What tells one count from others, for its global id. */
export function usageKey({ path, method, client, parameter }: LegacyUsage): string {
  return Buffer.from(JSON.stringify([path, method, client, parameter ?? ''])).toString('base64url');
}

/** A count of the administrator's domain by its key, over all days that are kept. GraphQL `node`. Null for any other key and for anybody else. */
export async function loadLegacyUsage(ctx: Context, key: string): Promise<LegacyUsage | null> {
  const named = parseKey(key);
  if (!named || !ctx.viewer?.permissions.has('DOMAIN_ADMIN')) return null;
  const params = new Params();
  const source = usageSql(
    { days: USAGE_DAYS, domainId: ctx.viewer.domainId, now: ctx.clock() },
    params,
  );
  const bound = named.map((one) => params.add(one)).join(', ');
  const [row] = await ctx.db.rows(
    `SELECT ${USAGE_COLUMNS} FROM ${source} WHERE (u.path, u.method, u.client, u.parameter) = (${bound})`,
    params.values,
  );
  return row ? usageFromCells(row) : null;
}

function parseKey(key: string): readonly string[] | undefined {
  try {
    return names.safeParse(JSON.parse(Buffer.from(key, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
