import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Config } from '../../core/context/config.ts';
import type { Trace } from '../../core/context/telemetry.ts';
import type { Log } from '../../core/log.ts';
import type { OnStatement } from '../../core/wire/wire.ts';
import type { Metrics } from './metrics.ts';
import { rounded } from './rounded.ts';

/** Longest text of a statement in a log line or a span. */
const STATEMENT_LENGTH = 1_000;

interface Observers {
  config: Config;
  log: Log;
  metrics: Metrics | undefined;
  /** The request that is being answered, if statements are attributed to requests. */
  current: AsyncLocalStorage<Trace> | undefined;
}

/** Measures statements: counts them, adds them to the trace of their request, and logs the slow ones. */
export function observeStatements({ config, log, metrics, current }: Observers): OnStatement {
  const end = (sql: string, startedAt: number, trace: Trace | undefined, failed: boolean): void => {
    const ms = performance.now() - startedAt;
    metrics?.statement(ms, failed);
    const text = (): string => sql.replaceAll(/\s+/g, ' ').slice(0, STATEMENT_LENGTH);
    if (trace) {
      trace.dbMs += ms;
      trace.span?.part(nameOf(sql), {
        kind: 'client',
        startedAt,
        attributes: { 'db.system.name': 'postgresql', 'db.query.text': text() },
        failed,
      });
    }
    if (config.slowQueryMs > 0 && ms > config.slowQueryMs) {
      log.warn(
        {
          ...(trace && { requestId: trace.requestId, operation: trace.operation }),
          ms: rounded(ms),
          statement: text(),
        },
        'slow statement',
      );
    }
  };
  return (sql) => {
    const trace = current?.getStore();
    return () => {
      const startedAt = performance.now();
      return (failed) => end(sql, startedAt, trace, failed);
    };
  };
}

/** A short name of a statement, `SELECT feed_listing`: its verb and the first table that it names. */
function nameOf(sql: string): string {
  const verb = /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? 'SQL';
  const table = /\b(?:from|into|update|join)\s+"?([a-z_][\w."]*)/i
    .exec(sql)?.[1]
    ?.replaceAll('"', '');
  return table === undefined ? verb : `${verb} ${table}`;
}
