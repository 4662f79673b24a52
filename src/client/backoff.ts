import { GatewayError } from './gateway-error.ts';

export interface RetryOptions {
  /** How often a read is tried again; a stream that is followed is resumed without end. 2 unless told otherwise. */
  times: number;
  /** The first wait is at most this long, each next one twice as long; the share is random, so that clients don't come back all at once. */
  firstMs: number;
  /** No wait is longer; an answer whose Retry-After is longer is thrown instead of awaited by a read. */
  mostMs: number;
}

export const defaultRetry: RetryOptions = { times: 2, firstMs: 500, mostMs: 30_000 };

/** Milliseconds to wait before the try after this failure; `failures` counts from 0. */
export function waitAfter(
  error: unknown,
  failures: number,
  { firstMs, mostMs }: RetryOptions,
): number {
  const jittered = Math.random() * Math.min(mostMs, firstMs * 2 ** failures);
  return Math.max(jittered, error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0);
}

/** Waits, and throws the reason of the signal when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
