/** The documented path parameter `feed_key`, `feed-key`: an integer of at least 1; undefined for anything else. */
export function parseFeedKey(text: string): number | undefined {
  return /^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= Number.MAX_SAFE_INTEGER
    ? Number(text)
    : undefined;
}
