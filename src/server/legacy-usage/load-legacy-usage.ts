import { z } from 'zod';
import type { Context } from '../../core/context/context.ts';
import { USAGE_DAYS } from '../../core/context/forget-expired.ts';
import { isStorable } from '../../core/text.ts';
import { usageIn } from './legacy-usage.sql.ts';
import { toUsage, usageSince, type LegacyUsage } from './legacy-usage.ts';

const name = z.string().max(200).refine(isStorable);
const names = z.tuple([name, name, name, name]);

/** The key of a count, for its global id. */
export function usageKey({ path, method, client, parameter }: LegacyUsage): string {
  return Buffer.from(JSON.stringify([path, method, client, parameter ?? ''])).toString('base64url');
}

/**
 * A count of the administrator's domain by its key, over all days that are kept. GraphQL `node`. Null for any other key
 * and any other caller.
 */
export async function loadLegacyUsage(ctx: Context, key: string): Promise<LegacyUsage | null> {
  const named = parseKey(key);
  if (!named || !ctx.viewer?.permissions.has('DOMAIN_ADMIN')) return null;
  const { domainId } = ctx.viewer;
  const since = usageSince({ days: USAGE_DAYS, now: ctx.clock() });
  const row = await usageIn.first(ctx.db, { since, domainId, named });
  return row ? toUsage(row) : null;
}

function parseKey(key: string): readonly string[] | undefined {
  try {
    return names.safeParse(JSON.parse(Buffer.from(key, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
