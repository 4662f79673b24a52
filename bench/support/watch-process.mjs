// Loaded into a gateway's process (`node --import`): every five seconds a line in the file WATCH_FILE with the live heap after a collection, the resident memory,
// and the event loop's delay of the time between, in which the collection itself is left out.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.WATCH_FILE;
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  setInterval(() => {
    delay.disable();
    const [p50, p99, max] = [delay.percentile(50), delay.percentile(99), delay.max].map(
      (ns) => ns / 1e6,
    );
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    appendFileSync(
      file,
      `${JSON.stringify({ at: performance.now(), live: heapUsed + external, rss, p50, p99, max })}\n`,
    );
    delay.reset();
    setTimeout(() => delay.enable(), 20).unref();
  }, 5_000).unref();
}
