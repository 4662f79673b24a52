import { setTimeout as wait } from 'node:timers/promises';
import { StoppedError } from '../../core/stop-signal.ts';

/** Attempts of one request, the first included. */
const ATTEMPTS = 8;
/** Attempts to reach a gateway that has not answered yet: its address is more likely wrong than it is restarting. */
const FIRST_ATTEMPTS = 3;
const FIRST_MS = 500;
const MOST_MS = 30_000;
/**
 * Statuses of a gateway that is busy or stopping, or of its proxy; 500 with Retry-After is what the dataset paths say
 * for 503 (D-60).
 */
const PASSING = new Set([429, 502, 503, 504]);
const passes = ({ status, headers }: Response): boolean =>
  PASSING.has(status) || (status === 500 && headers.has('retry-after'));

/**
 * A `fetch` that sends a request again after a while when the gateway is busy or not to be reached, or its reply breaks
 * off: after the time of Retry-After, else after twice as long each time. Gives the last answer, or throws the last error; StoppedError where
 * it would have to wait after `stop`, or does; the reason of `signal`, which ends it at once.
 */
export function retryingFetch(
  signal: AbortSignal,
  { firstMs = FIRST_MS, stop }: { firstMs?: number; stop?: AbortSignal } = {},
): typeof fetch {
  let reached = false;
  const ends = stop ? AbortSignal.any([signal, stop]) : signal;
  return async (target, init) => {
    for (let attempt = 1; ; attempt++) {
      const backoff = Math.min(MOST_MS, firstMs * 2 ** (attempt - 1));
      let ms = backoff / 2 + (Math.random() * backoff) / 2;
      try {
        const response = await fetch(target, { ...init, signal });
        reached = true;
        if (attempt === ATTEMPTS || !passes(response)) return await arrived(response);
        const after = Number(response.headers.get('retry-after') ?? NaN);
        if (after >= 0) ms = Math.min(MOST_MS, Math.max(after * 1000, ms));
        await response.body?.cancel();
      } catch (error) {
        if (attempt >= (reached ? ATTEMPTS : FIRST_ATTEMPTS) || signal.aborted) throw error;
      }
      await wait(ms, undefined, { signal: ends }).catch(() => {
        throw new StoppedError('stopped while the gateway was busy or away');
      });
    }
  };
}

/** A reply once all of it has arrived. */
async function arrived(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, response);
}
