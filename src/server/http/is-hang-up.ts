import type { Signal } from '../../core/signal.ts';

const codes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ABORT_ERR',
]);

/** Did this fail because the client disconnected, in the middle of a transfer? That is not an error to log. */
export function isHangUp(error: unknown, signal: Signal | undefined): boolean {
  return signal?.aborted === true && isBrokenOff(error);
}

function isBrokenOff(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return (typeof code === 'string' && codes.has(code)) || isBrokenOff(error.cause);
}
