/** Milliseconds for a provider to answer. */
const TIME = 5_000;

/** A discovery document or key set in earnest has a few thousand. */
const MOST_BYTES = 262_144;

/** What a provider answered is no document that can be used: asking again is of no use. */
export class UnusableDocumentError extends Error {
  override name = 'UnusableDocumentError';
}

/**
 * Reads a JSON document of at most 256 KiB, without following redirects. Throws UnusableDocumentError; any other
 * error means that the provider does not answer.
 */
export async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIME),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`HTTP ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new UnusableDocumentError(`more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new UnusableDocumentError('no JSON');
  }
}
