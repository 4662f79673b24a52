import { parentPort, workerData } from 'node:worker_threads';

/**
 * Tells the thread that started it when each turn is due. Node's timers fire by whole milliseconds, and up to two of them too early; a wait
 * for a value in shared memory ends within some hundredths of a millisecond.
 */
const { started, gap, total } = workerData;
const never = new Int32Array(new SharedArrayBuffer(4));
const now = () => performance.timeOrigin + performance.now();

for (let turn = 0; turn < total; turn++) {
  const due = started + turn * gap;
  for (let wait = due - now(); wait > 0; wait = due - now()) Atomics.wait(never, 0, 0, wait);
  parentPort.postMessage(turn);
}
