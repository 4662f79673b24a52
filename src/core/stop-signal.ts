/** Thrown where work is cut short because the process was told to stop. */
export class StoppedError extends Error {
  override name = 'StoppedError';
}

/** Aborts when the process is told to stop by SIGTERM or SIGINT, from now on instead of dying at once; as process 1 of a container it would not even die. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => controller.abort(new StoppedError(`stopped by ${signal}`)));
  return controller.signal;
}
