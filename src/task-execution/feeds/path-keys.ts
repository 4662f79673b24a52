/** The documented path parameters of feed operations: each parser returns undefined for what the document does not allow. */

/** `feed_key`, `feed-key`: an integer of at least 1. */
export function parseFeedKey(text: string): number | undefined {
  return /^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= Number.MAX_SAFE_INTEGER
    ? Number(text)
    : undefined;
}

/** `notes_id`: an integer of at least 1. */
export const parseNotesId = parseFeedKey;

/** `cluster_id`: text that is not blank and not `-1`. */
export function parseClusterId(text: string): string | undefined {
  return text.trim() === '' || text.trim() === '-1' ? undefined : text;
}
