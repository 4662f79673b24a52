import { availableParallelism } from 'node:os';
import { recordRefusals } from '../accounts/audit/record-refusals.ts';
import { createKeyCheckThrottle } from '../auth/key-check-throttle.ts';
import { createProvider } from '../accounts/oidc/create-provider.ts';
import { createCallLimits } from '../auth/call-limits.ts';
import { createSignInThrottle } from '../auth/sign-in-throttle.ts';
import type { Config } from '../core/context/config.ts';
import type { Clock, Services } from '../core/context/context.ts';
import { numberKeys } from '../core/database/copy/number-keys.ts';
import { openDatabase, type OpenOptions } from '../core/database/db.ts';
import { readsOn } from '../core/database/replicas/reads.ts';
import { openReplicas } from '../core/database/replicas/replicas.ts';
import { followSteps } from '../core/migrations/follow-steps.ts';
import { tellMigration } from '../core/migrations/tell-migration.ts';
import { keepBodies } from '../core/context/kept-bodies.ts';
import { DomainTurns } from '../core/turns/domain-turns.ts';
import { limitParallel } from '../core/turns/limit.ts';
import { onAnswers } from '../core/turns/share-of-turn.ts';
import { followChanges } from '../task-execution/changes/follow-changes.ts';
import { openLog, type Log } from '../core/log.ts';
import { startImageEngine } from '../imaging/start-image-engine.ts';
import { followDatabaseClock } from './follow-database-clock.ts';
import { makeDataFolder, tellFullDisk } from './places/data-folder.ts';
import { createUsageRecorder } from './legacy-usage/usage-recorder.ts';
import type { BlobStore } from '../core/context/storage.ts';
import { createStorage } from '../storage/create-storage.ts';
import { measureStorage } from './telemetry/measure-storage.ts';
import { createTelemetry, type GatewayTelemetry } from './telemetry/telemetry.ts';

/** Images that are decoded as a whole take up to 20 bytes per pixel. */
const MAX_BUFFERED_PIXELS = 67_108_864;
const IMAGE_TIMEOUT_SECONDS = 20;

/** Memory for cached calendars, in bytes: some hundred large ones. */
const KEPT_BYTES = 33_554_432;

/**
 * Creates everything that lives as long as the process: the only place where capabilities are created. Throws
 * FolderInUseError.
 */
export async function createServices(
  config: Config,
  given: {
    clock?: Clock;
    log?: Log;
    database?: OpenOptions['database'];
    storage?: BlobStore;
    telemetry?: GatewayTelemetry;
    fastLane?: boolean;
  } = {},
): Promise<Services> {
  const log = given.log ?? (await openLog(config));
  const { telemetry, onStatement } = given.telemetry ?? (await createTelemetry(config, log));
  const { fastLane = true } = given;
  const database = given.database ?? config.database;
  if (database.kind === 'embedded') await makeDataFolder(database.dataDir);
  const db = await openDatabase({
    database,
    statementTimeoutMs: config.requestTimeoutMs,
    onPoolError: (error) => log.warn({ err: error }, 'idle database connection lost'),
    onStatement,
    events: tellMigration(log),
    fastLane,
  }).catch((error: unknown) => {
    throw database.kind === 'embedded' ? tellFullDisk(error, database.dataDir) : error;
  });
  const server = config.database.kind === 'server' ? config.database : undefined;
  try {
    // The embedded database has this process's clock.
    const clock = given.clock ?? (db.embedded ? Date.now : await followDatabaseClock(db));
    if (config.cell !== undefined) await numberKeys(db, config.cell, new Date(clock()));
    const opened = given.storage ?? (await createStorage(config.storage));
    const storage = config.metrics ? measureStorage(opened, telemetry) : opened;
    const { maxPixels, jobs = Math.max(1, Math.min(4, availableParallelism() - 1)) } =
      config.images;
    const imaging = startImageEngine(
      {
        maxPixels,
        maxBufferedPixels: Math.min(maxPixels, MAX_BUFFERED_PIXELS),
        timeoutSeconds: IMAGE_TIMEOUT_SECONDS,
        parallel: jobs,
      },
      { onLost: (error) => log.warn({ err: error }, 'the process that reads images ended') },
    );
    const replicas =
      server?.replicaUrls === undefined
        ? undefined
        : openReplicas(
            { ...server, replicaUrls: server.replicaUrls },
            { db, log, statementTimeoutMs: config.requestTimeoutMs, onStatement, fastLane },
          );
    return {
      config,
      db,
      clock,
      log,
      signInThrottle: createSignInThrottle(db, clock),
      keyCheckThrottle: createKeyCheckThrottle(db),
      callLimits: createCallLimits(db, config.rateLimit),
      oidc: config.oidc.map((settings) => createProvider(settings, { clock, log })),
      keptBodies: keepBodies(KEPT_BYTES),
      storage,
      imaging,
      background: runInBackground(log),
      changes: followChanges({ db, clock, log }),
      reads: readsOn(db),
      replicas,
      // While the primary is gone, reads need no connection to it.
      turns: new DomainTurns(
        () =>
          onAnswers.isFull ||
          replicas?.isBusy() === true ||
          (db.isBusy() && !replicas?.whileGone()),
      ),
      steps: followSteps(db, log),
      telemetry,
      fastLane,
      usage: createUsageRecorder({ db, clock, log }),
      audit: recordRefusals({ db, clock }),
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Runs one job at a time, in order. */
function runInBackground(log: Log): Services['background'] {
  const inTurn = limitParallel(1);
  return (job) =>
    void inTurn(job).catch((error: unknown) => log.error({ err: error }, 'background job failed'));
}
