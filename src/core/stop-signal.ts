/** Thrown where work is interrupted because the process was told to stop. */
export class StoppedError extends Error {
  override name = 'StoppedError';
}

/** What ends a process that can still tidy up: Ctrl-C, a supervisor, a terminal that is closed. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A signal that is aborted on SIGTERM, SIGINT or SIGHUP, which from now on don't kill the process. (As process 1 of a container
 * it would ignore them.)
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of stopSignals)
    process.on(signal, () => controller.abort(new StoppedError(`stopped by ${signal}`)));
  return controller.signal;
}
