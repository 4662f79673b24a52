import { join } from 'node:path';
import type { ServerLocation } from '../database/server-pool.ts';
import { explainFault } from './config-faults.ts';
import { environment } from './config-variables.ts';
import type { OidcSettings } from '../oidc/oidc-settings.ts';
import { readOidc } from '../oidc/read-oidc.ts';
import type { StorageLocation } from './storage-url.ts';
import type { Trusts } from './trusted-proxies.ts';

/** All settings from the environment, validated. */
export interface Config {
  port: number;
  host: string;
  /** Prefix of every path, without a trailing slash; empty for none (F001). */
  basePath: string;
  /** The address at which clients reach the gateway, including BASE_PATH; undefined: taken from each request. */
  publicUrl: string | undefined;
  /** The proxies whose headers about the client are trusted; undefined: none. */
  trusts: Trusts | undefined;
  database: { kind: 'embedded'; dataDir: string } | ({ kind: 'server' } & ServerLocation);
  /** Number of this installation among those that domains move between; undefined: as the database has it. */
  cell: number | undefined;
  /** Load the demo data: undefined means "only into an empty embedded database, and never in production". */
  demo: boolean | undefined;
  logLevel: string;
  production: boolean;
  /** Whether GraphiQL is served. */
  graphiql: boolean;
  /** Whether introspection is allowed. */
  introspection: boolean;
  /** File or folder with the only documents that may run; undefined: any document may. */
  trustedDocuments: string | undefined;
  /** Origins whose scripts may read replies, or `*` for all. */
  cors: { origins: readonly string[]; credentials: boolean };
  /** Seconds for which browsers are told to use TLS only; 0: they are not told. */
  hstsMaxAge: number;
  /** Most connections at a time; further ones are closed at once. */
  maxConnections: number;
  storage: StorageLocation & {
    /** A local folder for uploads in progress. */ stagingFolder: string;
  };
  images: {
    /** Largest image file, in bytes. */
    maxBytes: number;
    maxPixels: number;
    /** Images decoded at once; undefined leaves one processor for other requests. */
    jobs: number | undefined;
    /** Reject uploads to encrypted workspaces that are visibly not encrypted (D-69). */
    checkEncrypted: boolean;
  };
  /** False: the dataset paths need no session; for development only (D-72). */
  datasetAuth: boolean;
  /** OpenID providers whose tokens are accepted. */
  oidc: readonly OidcSettings[];
  /** Whether users sign in with passwords. */
  passwordSignIn: boolean;
  /** Calls per API key in 10 seconds; a session may make ten times as many. 0 for no limit (D-80). */
  rateLimit: number;
  /**
   * Oldest `from_time` that list-latest accepts, in milliseconds before now (D-40); a domain may configure another
   * value.
   */
  maxRefreshIntervalMs: number;
  /** Entries of the audit log are kept for so many days. */
  auditDays: number;
  /** A stream whose reader takes nothing for this long while data is waiting is ended; in milliseconds. */
  streamStallMs: number;
  /** Longest time a request may take, in milliseconds. */
  requestTimeoutMs: number;
  /** Statements that take longer are logged, in milliseconds; 0 for none. */
  slowQueryMs: number;
  /** Where metrics are served, on a port of their own. */
  metrics: { host: string; port: number } | undefined;
  /** Where traces are sent (OTLP over HTTP). */
  openTelemetry: { endpoint: string; serviceName: string } | undefined;
}

/** Thrown by readConfig; the message names every faulty variable, one per line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads and validates the environment; an empty or blank variable counts as unset. Throws ConfigError naming all faults
 * at once.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const first = new Map(issues.toReversed().map((issue) => [issue.path[0], issue]));
    const faults = issues.filter((issue) => first.get(issue.path[0]) === issue);
    throw new ConfigError(faults.map((issue) => explainFault(issue, given)).join('\n'));
  }
  const value = parsed.data;
  if (!value.DATASET_AUTH && value.NODE_ENV !== 'development')
    throw new ConfigError(
      `DATASET_AUTH: off is for NODE_ENV=development (is ${JSON.stringify(value.NODE_ENV)})`,
    );
  const { providers: oidc, faults } = readOidc(value, value.OIDC_PROVISION);
  if (!value.PASSWORD_SIGN_IN && oidc.length === 0 && faults.length === 0)
    faults.push('PASSWORD_SIGN_IN: expected OIDC_ISSUER or OIDC_FILE to be set where it is false');
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
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
            replicaUrls: value.DATABASE_REPLICA_URL,
          },
    cell: value.CELL,
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
    oidc,
    passwordSignIn: value.PASSWORD_SIGN_IN,
    rateLimit: value.RATE_LIMIT,
    maxRefreshIntervalMs: value.MAX_REFRESH_INTERVAL_MS,
    auditDays: value.AUDIT_DAYS,
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
