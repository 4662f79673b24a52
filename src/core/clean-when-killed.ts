import { constants } from 'node:os';
import { onStopSignal } from './stop-signal.ts';

/**
 * Calls `clean` when SIGINT, SIGTERM or SIGHUP ends this process, which they do all the same; the returned function takes that
 * back. SIGKILL leaves no time for it.
 */
export function cleanWhenKilled(clean: () => void): () => void {
  const release = onStopSignal((signal) => {
    try {
      clean();
    } finally {
      // Not before: a second signal would end the process at once.
      release();
      // The last one who cleans ends the process: by the signal, which shells look at, or as the first process of a
      // container, which signals don't end, by its exit code.
      if (process.listenerCount(signal) === 0) {
        process.kill(process.pid, signal);
        process.exit(128 + constants.signals[signal]);
      }
    }
  });
  return release;
}
