import { decodeGlobalID, encodeGlobalID } from '@pothos/plugin-relay';

/** The feed key of a global id; undefined when it is no id of a feed. */
export function decodeFeedId(id: string): number | undefined {
  try {
    const { typename, id: key } = decodeGlobalID(id);
    return typename === 'Feed' && /^\d{1,16}$/.test(key) && Number(key) <= Number.MAX_SAFE_INTEGER
      ? Number(key)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The global id of a feed key. */
export function feedGlobalId(feedKey: number): string {
  return encodeGlobalID('Feed', String(feedKey));
}
