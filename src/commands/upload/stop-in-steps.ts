import { onStopSignal, StoppedError } from '../../core/stop-signal.ts';

/**
 * Keeps signals from ending this process until it is released: the first aborts `stop`, after which what is being sent
 * gets there, and a second one aborts `abort`, which ends that too.
 */
export function stopInSteps(): { stop: AbortSignal; abort: AbortSignal; release: () => void } {
  const [stop, abort] = [new AbortController(), new AbortController()];
  const release = onStopSignal(() => {
    const reason = new StoppedError('interrupted: run it again to go on');
    (stop.signal.aborted ? abort : stop).abort(reason);
  });
  return { stop: stop.signal, abort: abort.signal, release };
}
