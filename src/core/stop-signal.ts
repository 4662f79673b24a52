/** Thrown where work is interrupted because the process was told to stop. */
export class StoppedError extends Error {
  override name = 'StoppedError';
  /** The system's word for it, so that commands print no stack. */
  readonly code = 'EINTR';
}

/** What ends a process that can still tidy up: Ctrl-C, a supervisor, a terminal that is closed. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `listener` on each of them, which then do not end this process; the returned function takes that back. */
export function onStopSignal(listener: (signal: (typeof stopSignals)[number]) => void): () => void {
  for (const signal of stopSignals) process.on(signal, listener);
  return () => {
    for (const signal of stopSignals) process.off(signal, listener);
  };
}

/**
 * A signal that is aborted on SIGTERM, SIGINT or SIGHUP, which from now on don't kill the process. (As process 1 of a container
 * it would ignore them.)
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  onStopSignal((signal) => controller.abort(new StoppedError(`stopped by ${signal}`)));
  return controller.signal;
}
