import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Outcome, Telemetry, Trace } from '../../core/context/telemetry.ts';
import type { OperationName } from '../graphql/schema/known-operations.ts';

/** Upper bounds of the histogram buckets of durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Everything that is counted; docs/operations.md describes each metric. Every label comes from a bounded set of our
 * own, none from what a client sends.
 */
export interface Metrics extends Pick<
  Telemetry,
  'job' | 'degraded' | 'storage' | 'refusedConnection'
> {
  registry: Registry;
  /** `ms` undefined: a stream. */
  request(trace: Trace, ms: number | undefined): void;
  statement(ms: number, failed: boolean): void;
  /**
   * Starts counters at 0 that would otherwise appear only with their first count: Prometheus sees no increase in a
   * series that appears with the value 5, so an alarm would miss the first burst of failures.
   */
  begin(known: {
    operations?: readonly OperationName[];
    jobs?: readonly string[];
    /** Operations that may hide a failure. */
    degrading?: readonly string[];
    storage?: readonly string[];
  }): void;
}

/** Makes the counters of one gateway, of its process and of Node. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'trivium_requests_total',
    help: 'Requests by operation and outcome (ok, refused, failed, aborted).',
    labelNames: ['face', 'operation', 'path', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'trivium_request_duration_seconds',
    help: 'Time from the request to the end of the answer, streams left out.',
    labelNames: ['face', 'operation', 'path'],
    buckets: BUCKETS,
    registers,
  });
  const statements = new Histogram({
    name: 'trivium_db_statement_duration_seconds',
    help: 'Time of SQL statements on their connection.',
    buckets: BUCKETS,
    registers,
  });
  const failedStatements = new Counter({
    name: 'trivium_db_statement_failures_total',
    help: 'SQL statements that ended with an error.',
    registers,
  });
  const jobs = new Histogram({
    name: 'trivium_job_duration_seconds',
    help: 'Time of a turn of a background job.',
    labelNames: ['name'],
    buckets: [0.01, 0.1, 1, 10, 60],
    registers,
  });
  const failedJobs = new Counter({
    name: 'trivium_job_failures_total',
    help: 'Turns of background jobs that failed.',
    labelNames: ['name'],
    registers,
  });
  const degraded = new Counter({
    name: 'trivium_degraded_answers_total',
    help: 'Answers "no data" that hide a failure (X-Degraded).',
    labelNames: ['operation'],
    registers,
  });
  const storage = new Counter({
    name: 'trivium_storage_calls_total',
    help: 'Calls of the image storage.',
    labelNames: ['action', 'outcome'],
    registers,
  });
  const refusedConnections = new Counter({
    name: 'trivium_refused_connections_total',
    help: 'Connections that were closed as they came: all, or those of their address, were too many.',
    registers,
  });

  // Looking up a child by its labels costs more than counting, so children are cached per operation.
  const children = new Map<
    string,
    { duration: Histogram.Internal<string>; outcomes: Partial<Record<Outcome, Counter.Internal>> }
  >();
  return {
    registry,
    request({ surface, operation, path, outcome }, ms) {
      const key = `${surface} ${operation} ${path}`;
      let child = children.get(key);
      if (!child)
        children.set(
          key,
          (child = {
            duration: durations.labels({ face: surface, operation, path }),
            outcomes: {},
          }),
        );
      const counter = (child.outcomes[outcome] ??= requests.labels({
        face: surface,
        operation,
        path,
        outcome,
      }));
      counter.inc();
      if (ms !== undefined) child.duration.observe(ms / 1_000);
    },
    statement(ms, failed) {
      statements.observe(ms / 1_000);
      if (failed) failedStatements.inc();
    },
    job(name, ms, failed) {
      jobs.observe({ name }, ms / 1_000);
      if (failed) failedJobs.inc({ name });
    },
    degraded: (operation) => degraded.inc({ operation }),
    refusedConnection: () => refusedConnections.inc(),
    storage: (action, failed) => storage.inc({ action, outcome: failed ? 'failed' : 'ok' }),
    begin(known) {
      for (const { surface, operation, path } of known.operations ?? [])
        for (const outcome of ['ok', 'failed'])
          requests.inc({ face: surface, operation, path, outcome }, 0);
      for (const name of known.jobs ?? []) failedJobs.inc({ name }, 0);
      for (const operation of known.degrading ?? []) degraded.inc({ operation }, 0);
      for (const action of known.storage ?? [])
        for (const outcome of ['ok', 'failed']) storage.inc({ action, outcome }, 0);
    },
  };
}
