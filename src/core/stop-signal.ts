/** Thrown where work is interrupted because the process was told to stop. */
export class StoppedError extends Error {
  override name = 'StoppedError';
}

/**
 * A signal that is aborted on SIGTERM or SIGINT, which from now on don't kill the process. (As process 1 of a container
 * it would ignore them.)
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => controller.abort(new StoppedError(`stopped by ${signal}`)));
  return controller.signal;
}
