import * as z from 'zod';
import { canBeFolder } from '../files/can-be-folder.ts';
import { oidcVariables } from '../oidc/read-oidc.ts';
import { parseStorageUrl } from './storage-url.ts';
import { parseTrustedProxies } from './trusted-proxies.ts';

const port = z.coerce.number().int().min(0).max(65535);
const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'])
  .transform((value) => value === 'true' || value === '1' || value === 'on');

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'a postgresql:// URL')
  // A host may be left out, which the driver takes from its parameters.
  .refine(
    (url) => URL.canParse(url.replace('@/', '@host/')),
    'postgresql://user:password@host:5432/name, where / ? # and @ in the password are %2F %3F %23 and %40',
  );

/** A URL to which paths are added; not parsed, because a parsed one does not show an empty query. */
const baseUrl = (form: RegExp, expected: string) =>
  z
    .string()
    .trim()
    .refine((text) => form.test(text) && URL.canParse(text), expected)
    .transform((url) => url.replace(/\/$/, ''));

const variables = z
  .object({
    PORT: port.default(4000),
    HOST: z.string().min(1).default('127.0.0.1'),
    BASE_PATH: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, 'a path such as /gateway')
      .default('')
      .transform((path) => path.replace(/\/$/, '')),
    PUBLIC_URL: baseUrl(
      /^https?:\/\/[^?#@\s\\/]+(\/[^?#\s\\]*)?$/i,
      'an http:// or https:// URL without user, query and fragment',
    ).optional(),
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
    DATABASE_REPLICA_URL: z
      .string()
      .transform((value) => value.split(','))
      .pipe(z.array(z.string().trim().pipe(postgresUrl)))
      .optional(),
    DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10),
    CELL: z.coerce.number().int().min(1).max(99).optional(),
    DATA_DIR: z
      .string()
      .min(1)
      // It would become a folder unnoticed, with an empty database; one letter is a drive.
      .refine((text) => !/^[a-z][a-z\d]+:/i.test(text), 'a folder, not a URL')
      .default('.data'),
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
    AUDIT_DAYS: z.coerce.number().int().min(1).max(36_500).default(400),
    STREAM_STALL_MS: z.coerce.number().int().min(100).max(600_000).default(30_000),
    REQUEST_TIMEOUT_MS: z.coerce.number().int().min(100).max(600_000).default(15_000),
    SLOW_QUERY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
    ...oidcVariables,
    OIDC_PROVISION: flag.default(false),
    PASSWORD_SIGN_IN: flag.default(true),
    METRICS_PORT: port.optional(),
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl(
      /^https?:\/\/[^?#\s\\]+$/i,
      'an http:// or https:// URL without query and fragment',
    ).optional(),
    OTEL_SERVICE_NAME: z.string().min(1).max(255).default('trivium'),
  })
  .superRefine((value, context) => {
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const) {
      if (value[name] !== undefined && value.DATABASE_URL === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'DATABASE_URL to be set too' });
    }
    const { DATABASE_URL, DATA_DIR, STORAGE } = value;
    // With a server and a folder for the images, there is nothing in DATA_DIR.
    const folders = {
      DATA_DIR: DATABASE_URL === undefined || STORAGE?.kind !== 'filesystem' ? DATA_DIR : undefined,
      STORAGE: STORAGE?.kind === 'filesystem' ? STORAGE.folder : undefined,
    };
    for (const [name, folder] of Object.entries(folders)) {
      if (folder !== undefined && !canBeFolder(folder))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `a folder, which ${folder} is not and can't be made`,
        });
    }
  });

/** The rules for the variables, individually and together. */
export const environment = variables.refine(
  ({ CORS_CREDENTIALS, CORS_ORIGINS }) => !CORS_CREDENTIALS || !CORS_ORIGINS.includes('*'),
  {
    path: ['CORS_CREDENTIALS'],
    message: "false where CORS_ORIGINS is *: everybody's scripts would act as the user",
  },
);

/** Does it look like the `Origin` of a browser: scheme, host, and the port unless it is the scheme's default? */
function isOrigin(text: string): boolean {
  return (
    !text.includes('*') &&
    URL.canParse(text) &&
    /^https?:$/.test(new URL(text).protocol) &&
    new URL(text).origin === text
  );
}

/** Every variable that readConfig knows. */
export const configVariables: readonly string[] = Object.keys(variables.shape);
