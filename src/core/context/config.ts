import { join } from 'node:path';
import type { ServerLocation } from '../database/server-pool.ts';
import { explainFault } from './config-faults.ts';
import { environment } from './config-variables.ts';
import type { StorageLocation } from './storage-url.ts';
import type { Trusts } from './trusted-proxies.ts';

export { configVariables } from './config-variables.ts';

/** Everything the environment decides, validated. */
export interface Config {
  port: number;
  host: string;
  /** Prefix of every path, without a trailing slash; empty for none (F001). */
  basePath: string;
  /** Where clients reach the gateway, BASE_PATH included; undefined: as each request says. */
  publicUrl: string | undefined;
  /** Whose word on clients is taken; undefined: nobody's. */
  trusts: Trusts | undefined;
  database: { kind: 'embedded'; dataDir: string } | ({ kind: 'server' } & ServerLocation);
  /** Load the demo data: undefined means "only into an empty embedded database, and never in production". */
  demo: boolean | undefined;
  logLevel: string;
  production: boolean;
  /** Is the editor served? */
  graphiql: boolean;
  /** May strangers ask for the schema? */
  introspection: boolean;
  /** File or folder of the only documents that run; undefined: any document may. */
  trustedDocuments: string | undefined;
  /** Whose scripts may read answers: origins, or `*` for everybody's. */
  cors: { origins: readonly string[]; credentials: boolean };
  /** Seconds for which browsers are told to come by TLS only; 0: not told. */
  hstsMaxAge: number;
  /** Connections at a time; more are closed as they come. */
  maxConnections: number;
  storage: StorageLocation & {
    /** A local folder for uploads that are on their way. */ stagingFolder: string;
  };
  images: {
    /** Longest image file, in bytes. */
    maxBytes: number;
    maxPixels: number;
    /** Images decoded at once; undefined leaves one processor to other requests. */
    jobs: number | undefined;
    /** Refuse uploads to encrypted workspaces that are visibly not encrypted (D-69). */
    checkEncrypted: boolean;
  };
  /** False: the dataset paths need no session, in development (D-72). */
  datasetAuth: boolean;
  /** Calls of one API key in 10 seconds, a tenth of those of a session; 0 for no limit (D-80). */
  rateLimit: number;
  /** Oldest `from_time` that list-latest answers, in milliseconds before now (D-40); configuration may set another for a domain. */
  maxRefreshIntervalMs: number;
  /** A stream whose reader takes nothing for this long, while something waits, is ended; in milliseconds. */
  streamStallMs: number;
  /** Longest time a request may take, in milliseconds. */
  requestTimeoutMs: number;
  /** A statement that takes longer is logged, in milliseconds; 0 for none. */
  slowQueryMs: number;
  /** Where metrics are served, apart from everything else. */
  metrics: { host: string; port: number } | undefined;
  /** Where traces are sent (OTLP over HTTP). */
  openTelemetry: { endpoint: string; serviceName: string } | undefined;
}

/** Thrown by readConfig; the message names every faulty variable, one a line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads and validates the environment; an empty or blank variable counts as unset. Throws ConfigError naming all faults at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => explainFault(issue, given));
    throw new ConfigError(faults.join('\n'));
  }
  const value = parsed.data;
  if (!value.DATASET_AUTH && value.NODE_ENV !== 'development')
    throw new ConfigError(
      `DATASET_AUTH: off is for NODE_ENV=development (is ${JSON.stringify(value.NODE_ENV)})`,
    );
  return {
    port: value.PORT,
    host: value.HOST,
    basePath: value.BASE_PATH,
    publicUrl: value.PUBLIC_URL,
    trusts: value.TRUSTED_PROXIES,
    database:
      value.DATABASE_URL === undefined
        ? { kind: 'embedded', dataDir: value.DATA_DIR }
        : {
            kind: 'server',
            url: value.DATABASE_URL,
            poolSize: value.DATABASE_POOL,
            directUrl: value.DATABASE_DIRECT_URL,
            replicaUrl: value.DATABASE_REPLICA_URL,
          },
    demo: value.DEMO,
    logLevel: value.LOG_LEVEL,
    production: value.NODE_ENV === 'production',
    graphiql: value.GRAPHIQL ?? value.NODE_ENV !== 'production',
    introspection: value.INTROSPECTION ?? value.NODE_ENV !== 'production',
    trustedDocuments: value.TRUSTED_DOCUMENTS,
    cors: { origins: value.CORS_ORIGINS, credentials: value.CORS_CREDENTIALS },
    hstsMaxAge: value.HSTS_MAX_AGE,
    maxConnections: value.MAX_CONNECTIONS,
    storage: {
      ...(value.STORAGE ?? { kind: 'filesystem', folder: join(value.DATA_DIR, 'blobs') }),
      stagingFolder: join(value.DATA_DIR, 'staging'),
    },
    images: {
      maxBytes: value.MAX_IMAGE_BYTES,
      maxPixels: value.MAX_IMAGE_PIXELS,
      jobs: value.IMAGE_JOBS,
      checkEncrypted: value.ENCRYPTED_UPLOAD_CHECKS,
    },
    datasetAuth: value.DATASET_AUTH,
    rateLimit: value.RATE_LIMIT,
    maxRefreshIntervalMs: value.MAX_REFRESH_INTERVAL_MS,
    streamStallMs: value.STREAM_STALL_MS,
    requestTimeoutMs: value.REQUEST_TIMEOUT_MS,
    slowQueryMs: value.SLOW_QUERY_MS,
    metrics:
      value.METRICS_PORT === undefined
        ? undefined
        : { host: value.METRICS_HOST, port: value.METRICS_PORT },
    openTelemetry:
      value.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : { endpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT, serviceName: value.OTEL_SERVICE_NAME },
  };
}
