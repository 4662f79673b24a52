import { encodeGlobalID } from '@pothos/plugin-relay';
import { readGlobalId } from '../../core/global-id.ts';

/** The feed key of a global id; undefined when it is no id of a feed. */
export function decodeFeedId(id: string): number | undefined {
  const named = readGlobalId(id);
  if (named?.typename !== 'Feed' || !/^\d{1,16}$/.test(named.id)) return undefined;
  return Number(named.id) <= Number.MAX_SAFE_INTEGER ? Number(named.id) : undefined;
}

/** The global id of a feed key. */
export function feedGlobalId(feedKey: number): string {
  return encodeGlobalID('Feed', String(feedKey));
}
