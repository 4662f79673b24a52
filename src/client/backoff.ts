import { GatewayError } from './gateway-error.ts';

export interface RetryOptions {
  /** How often a read is retried; a followed stream is resumed without limit. Default 2. */
  times: number;
  /**
   * Upper bound of the first wait; it doubles with each further one. The actual wait is a random part of it, so that
   * clients don't all come back at once.
   */
  firstMs: number;
  /** Upper bound of any wait. If Retry-After is longer, a read throws instead of waiting. */
  mostMs: number;
}

export const defaultRetry: RetryOptions = { times: 2, firstMs: 500, mostMs: 30_000 };

/** Milliseconds of the longest timer, 24 days: one of more goes off at once. */
export const longestTimer = 2 ** 31 - 1;

/** Milliseconds to wait before the next attempt after this failure; `failures` counts from 0. */
export function waitAfter(
  error: unknown,
  failures: number,
  { firstMs, mostMs }: RetryOptions,
): number {
  const jittered = Math.random() * Math.min(mostMs, firstMs * 2 ** failures);
  return Math.max(jittered, error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0);
}

/** Waits, at most for the longest timer; throws the reason of the signal when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end);
        resolve();
      },
      Math.min(ms, longestTimer),
    );
    signal?.addEventListener('abort', end, { once: true });
  });
}
