import type { ServerResponse } from 'node:http';
import type { Trace } from '../../core/context/telemetry.ts';
import { rounded } from './rounded.ts';

/** Adds `Server-Timing` when the headers are sent: every reply goes through `writeHead`. */
export function tellTiming(trace: Trace, response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]): ServerResponse => {
    const parts = [
      { name: 'total', ms: performance.now() - trace.startedAt },
      { name: 'db', ms: trace.dbMs },
      ...trace.phases,
    ];
    if (!response.headersSent)
      response.setHeader(
        'server-timing',
        parts.map(({ name, ms }) => `${name};dur=${rounded(ms)}`).join(', '),
      );
    return writeHead(...args);
  };
}
