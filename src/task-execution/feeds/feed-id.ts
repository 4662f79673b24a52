import { decodeGlobalId, encodeGlobalId } from '../../core/global-id.ts';

/** The feed key in a global id; undefined if it is not the id of a feed. */
export function decodeFeedId(id: string): number | undefined {
  const key = decodeGlobalId('Feed', id) ?? '';
  return /^\d{1,16}$/.test(key) && Number(key) <= Number.MAX_SAFE_INTEGER ? Number(key) : undefined;
}

/** The global id of a feed key. */
export function feedGlobalId(feedKey: number): string {
  return encodeGlobalId('Feed', String(feedKey));
}
