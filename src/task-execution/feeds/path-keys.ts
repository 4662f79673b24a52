/**
 * The documented path parameter `feed_key`, `feed-key`: an integer of at least 1; undefined for anything else. No feed has a
 * key beyond 2^53-1, which is no safe integer.
 */
export function parseFeedKey(text: string): number | undefined {
  return /^\d{1,19}$/.test(text) && Number(text) >= 1 ? Number(text) : undefined;
}
