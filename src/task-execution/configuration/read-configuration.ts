import type { SignedInContext } from '../../core/context/context.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { entriesOfUser } from './configuration.sql.ts';

/** Where a configured value may stand, least specific first (D-12). */
const configScopes = ['SYSTEM', 'DOMAIN', 'PROFILE', 'UNIT', 'DEPT', 'USER'] as const;
export type ConfigScope = (typeof configScopes)[number];

/** The values that apply to one viewer, by documented name, each with its scope. */
export type Configuration = ReadonlyMap<string, { value: unknown; scope: ConfigScope }>;

/** Most characters of values that are kept, of all viewers: some hundred megabytes. */
const MOST_KEPT = 33_554_432;

interface Kept {
  byViewer: Map<string, Configuration>;
  characters: number;
}

/** Keyed by the pool of the database, which is the same for all requests. */
const cache = new WeakMap<object, Kept>();

/**
 * The merged configuration of the viewer: the most specific scope replaces the whole value. Cached until any entry
 * changes, on every gateway.
 */
export async function readConfiguration(ctx: SignedInContext): Promise<Configuration> {
  const { viewer } = ctx;
  if (changed.has(ctx)) return (await load(ctx, viewer)).configuration;
  let kept = cache.get(ctx.db.pool);
  if (!kept) cache.set(ctx.db.pool, (kept = { byViewer: new Map(), characters: 0 }));
  const key = `${viewer.configVersion}/${viewer.userId}/${viewer.unitId}/${viewer.profileId}/${viewer.deptIds.join()}/${viewer.homeDeptIds.join()}`;
  const known = kept.byViewer.get(key);
  if (known) return known;
  // Never shares a promise with another request, which may be cancelled.
  const { configuration, characters } = await load(ctx, viewer);
  if (kept.byViewer.size >= 2_000 || kept.characters + characters > MOST_KEPT) {
    kept.byViewer.clear();
    kept.characters = 0;
  }
  kept.byViewer.set(key, configuration);
  kept.characters += characters;
  return configuration;
}

/** Requests that have changed the configuration: they read it as it is now, not as it was when they began. */
const changed = new WeakSet<SignedInContext>();

/** Notes that the request has changed the configuration. */
export function noteConfigurationChange(ctx: SignedInContext): void {
  changed.add(ctx);
}

async function load(
  ctx: SignedInContext,
  viewer: Viewer,
): Promise<{ configuration: Configuration; characters: number }> {
  const configuration = new Map<string, { value: unknown; scope: ConfigScope }>();
  let characters = 0;
  // Without a primary the version of the viewer, too, is that of the replica.
  const from = ctx.replicas?.whileGone() ?? ctx.db;
  for (const { key, value, scope: name } of await entriesOfUser.rows(from, viewer)) {
    const scope = configScopes.find((known) => known === name);
    if (scope) configuration.set(key, { value: JSON.parse(value), scope });
    characters += value.length;
  }
  return { configuration, characters };
}
