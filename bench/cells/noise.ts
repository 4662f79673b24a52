// The load of the other domain, in a process of its own: neighbours.ts starts it.
import { runLoad } from '../http-load.ts';

/** What it is told. */
export interface Noise {
  port: number;
  /** In base64. */
  requests: string[];
  connections: number;
  seconds: number;
}

process.once('message', ({ port, requests, connections, seconds }: Noise) => {
  const bytes = requests.map((request) => Buffer.from(request, 'base64'));
  void runLoad(port, bytes, connections, seconds).then(
    ({ requests: done, seconds: took, latencies }) => {
      const p99 = latencies[Math.floor(latencies.length * 0.99)];
      process.send?.({ rate: done / took, p99 });
      process.disconnect();
    },
    (error: unknown) => {
      process.send?.({ error: String(error) });
      process.disconnect();
    },
  );
});
