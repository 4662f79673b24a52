import DataLoader from 'dataloader';
import * as z from 'zod';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { batched } from '../../core/lists/load-by-id.ts';
import { USAGE_DAYS } from '../../core/context/forget-expired.ts';
import { isStorable } from '../../core/text.ts';
import { usageIn } from './legacy-usage.sql.ts';
import { namesOf, toUsage, usageSince, type LegacyUsage } from './legacy-usage.ts';

const name = z.string().max(200).refine(isStorable);
const names = z.tuple([name, name, name, name]);

/** The key of a count, for its global id. */
export function usageKey(usage: LegacyUsage): string {
  return Buffer.from(JSON.stringify(namesOf(usage))).toString('base64url');
}

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<readonly string[], LegacyUsage | null, string>(
      (named) => readUsage(ctx, named),
      { ...batched, cacheKeyFn: (names) => JSON.stringify(names) },
    ),
);

/**
 * A count of the administrator's domain by its key, over all days that are kept. GraphQL `node`. Null for any other key
 * and any other caller.
 */
export async function loadLegacyUsage(
  ctx: SignedInContext,
  key: string,
): Promise<LegacyUsage | null> {
  const names = parseKey(key);
  if (!names || !ctx.viewer.permissions.has('DOMAIN_ADMIN')) return null;
  return loader(ctx).load(names);
}

async function readUsage(
  { db, clock, viewer: { domainId } }: SignedInContext,
  named: readonly (readonly string[])[],
): Promise<(LegacyUsage | null)[]> {
  const since = usageSince({ days: USAGE_DAYS, now: clock() });
  const rows = (await usageIn.rows(db, { since, domainId, named })).map(toUsage);
  const found = new Map(rows.map((usage) => [JSON.stringify(namesOf(usage)), usage]));
  return named.map((names) => found.get(JSON.stringify(names)) ?? null);
}

function parseKey(key: string): readonly string[] | undefined {
  try {
    return names.safeParse(JSON.parse(Buffer.from(key, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
