import type { SignedInContext } from '../../core/context/context.ts';
import type { Viewer } from '../../core/context/viewer.ts';

/** Where a configured value may stand, least specific first (D-12). */
export const configScopes = ['SYSTEM', 'DOMAIN', 'PROFILE', 'UNIT', 'DEPT', 'USER'] as const;
export type ConfigScope = (typeof configScopes)[number];

/** The values in force for one viewer, by documented name, each with the scope that won. */
export type Configuration = ReadonlyMap<string, { value: unknown; scope: ConfigScope }>;

/** By the pool of the database, which is the same for all requests. */
const cache = new WeakMap<object, Map<string, Configuration>>();

/** The merged configuration of the viewer: the most specific scope replaces the whole value. Cached until any entry changes, on every replica at once. */
export async function readConfiguration(ctx: SignedInContext): Promise<Configuration> {
  const { viewer } = ctx;
  const cached = cache.get(ctx.db.pool) ?? new Map<string, Configuration>();
  cache.set(ctx.db.pool, cached);
  const key = `${written.get(ctx) ?? viewer.configVersion}/${viewer.userId}/${viewer.unitId}/${viewer.profileId}/${viewer.deptIds.join()}/${viewer.homeDeptIds.join()}`;
  let configuration = cached.get(key);
  if (!configuration) {
    // Never a promise of another request: that may be cancelled.
    configuration = await load(ctx, viewer);
    if (cached.size >= 2_000) cached.clear();
    cached.set(key, configuration);
  }
  return configuration;
}

/** The versions of the configuration that requests have written themselves. */
const written = new WeakMap<SignedInContext, number>();

/** Tells that the request has changed the configuration to this version: from now on it reads that, and not what it began with. */
export function noteConfigurationChange(ctx: SignedInContext, version: number): void {
  written.set(ctx, version);
}

async function load(ctx: SignedInContext, viewer: Viewer): Promise<Configuration> {
  const rows = await ctx.db.rows(
    `SELECT key, scope, value::text FROM config_entry c
     LEFT JOIN user_dept home ON c.scope = 'DEPT' AND home.dept_id = c.scope_id AND home.user_id = $4
     WHERE scope = 'SYSTEM' OR (scope = 'DOMAIN' AND scope_id = $1) OR (scope = 'PROFILE' AND scope_id = $2)
       OR (scope = 'UNIT' AND scope_id = $3) OR (scope = 'DEPT' AND scope_id = ANY ($5)) OR (scope = 'USER' AND scope_id = $4)
     ORDER BY array_position(ARRAY['SYSTEM', 'DOMAIN', 'PROFILE', 'UNIT', 'DEPT', 'USER'], scope), home.is_home NULLS FIRST, scope_id`,
    [viewer.domainId, viewer.profileId, viewer.unitId, viewer.userId, viewer.deptIds],
  );
  const merged = new Map<string, { value: unknown; scope: ConfigScope }>();
  for (const [key, scopeName, value] of rows) {
    const scope = configScopes.find((name) => name === scopeName);
    if (key != null && scope && value != null)
      merged.set(key, { value: JSON.parse(value) as unknown, scope });
  }
  return merged;
}
