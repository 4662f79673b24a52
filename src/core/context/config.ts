import { join } from 'node:path';
import { z } from 'zod';
import type { ServerLocation } from '../database/server-pool.ts';
import { parseStorageUrl, type StorageLocation } from './storage-url.ts';
import { parseTrustedProxies, type Trusts } from './trusted-proxies.ts';

const port = z.coerce.number().int().min(0).max(65535);
const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'])
  .transform((value) => value === 'true' || value === '1' || value === 'on');

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'a postgresql:// URL');

const environment = z
  .object({
    PORT: port.default(4000),
    HOST: z.string().min(1).default('127.0.0.1'),
    BASE_PATH: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, 'a path such as /gateway')
      .default('')
      .transform((path) => path.replace(/\/$/, '')),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/$/, ''))
      .optional(),
    TRUSTED_PROXIES: z
      .string()
      .transform((text, context) => {
        const trusts = parseTrustedProxies(text);
        if (!trusts)
          context.addIssue({
            code: 'custom',
            message:
              'addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas',
          });
        return trusts ?? z.NEVER;
      })
      .optional(),
    DATABASE_URL: postgresUrl.optional(),
    DATABASE_DIRECT_URL: postgresUrl.optional(),
    DATABASE_REPLICA_URL: postgresUrl.optional(),
    DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10),
    DATA_DIR: z.string().min(1).default('.data'),
    DEMO: flag.optional(),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info'),
    GRAPHIQL: flag.optional(),
    INTROSPECTION: flag.optional(),
    TRUSTED_DOCUMENTS: z.string().min(1).optional(),
    CORS_ORIGINS: z
      .string()
      .transform((text) => text.split(',').map((origin) => origin.trim()))
      .refine(
        (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
        '* or origins such as https://app.example.com, separated by commas',
      )
      .default([]),
    CORS_CREDENTIALS: flag.default(false),
    HSTS_MAX_AGE: z.coerce.number().int().min(0).max(63_072_000).default(0),
    MAX_CONNECTIONS: z.coerce.number().int().min(10).max(1_000_000).default(5_000),
    NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
    STORAGE: z
      .string()
      .transform((text, context) => {
        const location = parseStorageUrl(text);
        if (!location)
          context.addIssue({
            code: 'custom',
            message: 'a folder or s3://bucket/prefix?endpoint=…&region=…',
          });
        return location ?? z.NEVER;
      })
      .optional(),
    MAX_IMAGE_BYTES: z.coerce.number().int().min(1024).max(4_294_967_295).default(52_428_800),
    MAX_IMAGE_PIXELS: z.coerce.number().int().min(1).max(268_402_689).default(268_402_689),
    IMAGE_JOBS: z.coerce.number().int().min(1).max(16).optional(),
    ENCRYPTED_UPLOAD_CHECKS: flag.default(true),
    DATASET_AUTH: flag.default(true),
    RATE_LIMIT: z.coerce.number().int().min(0).max(1_000_000).default(100),
    MAX_REFRESH_INTERVAL_MS: z.coerce
      .number()
      .int()
      .min(60_000)
      .max(30 * 86_400_000)
      .default(86_400_000),
    STREAM_STALL_MS: z.coerce.number().int().min(100).max(600_000).default(30_000),
    REQUEST_TIMEOUT_MS: z.coerce.number().int().min(100).max(600_000).default(15_000),
    SLOW_QUERY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
    METRICS_PORT: port.optional(),
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    OTEL_EXPORTER_OTLP_ENDPOINT: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/$/, ''))
      .optional(),
    OTEL_SERVICE_NAME: z.string().min(1).max(255).default('trivium'),
  })
  .superRefine((value, context) => {
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const) {
      if (value[name] !== undefined && value.DATABASE_URL === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'DATABASE_URL with it' });
    }
  });

/** What variables say together. */
const checked = environment.refine(
  ({ CORS_CREDENTIALS, CORS_ORIGINS }) => !CORS_CREDENTIALS || !CORS_ORIGINS.includes('*'),
  {
    path: ['CORS_CREDENTIALS'],
    message: "false where CORS_ORIGINS is *: everybody's scripts would act as the user",
  },
);

/** As browsers write it in `Origin`: scheme, host, port unless it is the scheme's. */
function isOrigin(text: string): boolean {
  return (
    !text.includes('*') &&
    URL.canParse(text) &&
    /^https?:$/.test(new URL(text).protocol) &&
    new URL(text).origin === text
  );
}

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

/** Every variable that readConfig knows. */
export const configVariables: readonly string[] = Object.keys(environment.shape);

/** Thrown by readConfig; the message names every faulty variable, one a line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads and validates the environment; an empty or blank variable counts as unset. Throws ConfigError naming all faults at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = checked.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      (issue) =>
        `${String(issue.path[0])}: ${describe(issue)} (is ${JSON.stringify(shown(issue.path[0], given))})`,
    );
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

/** What a faulty variable held; one that may hold a password, as a URL may, is not repeated. */
function shown(
  name: PropertyKey | undefined,
  env: Record<string, string | undefined>,
): string | undefined {
  const held = env[String(name)];
  return /^DATABASE_.*URL$|^STORAGE$/.test(String(name)) || held?.includes('@') ? '…' : held;
}

/** What was expected of a variable. */
function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return 'expected a whole number';
  if (issue.code === 'invalid_format' || issue.code === 'custom')
    return `expected ${issue.message}`;
  return issue.message.replace(/^[A-Z][a-z ]+: /, '').replaceAll('"|"', '", "');
}
