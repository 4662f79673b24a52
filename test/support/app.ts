import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import type { OpenOptions } from '../../src/core/database/db.ts';
import { createLog, type Log } from '../../src/core/log.ts';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import { importRecords, type ImportCounts } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import { startGateway, type Gateway } from '../../src/server/start.ts';
import { openEmbeddedCopy } from './embedded-copy.ts';

/** Friday, 20 November 2026, noon UTC: the time of every test that does not set another. */
export const NOON = Date.UTC(2026, 10, 20, 12);

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when it is not JSON. */
  json: Record<string, any>;
}

export interface GraphQLAnswer {
  status: number;
  data: any;
  errors?: { message: string; path?: (string | number)[]; extensions: Record<string, any> }[];
  extensions?: Record<string, any>;
}

/** A gateway on a port of its own with a database of its own. */
export interface TestApp {
  url: string;
  services: Services;
  /** Sets the clock that the gateway reads. */
  setTime(ms: number): void;
  /** Issues a session and returns its token. */
  signedIn(login: string): Promise<string>;
  /** Calls a REST path; GET unless `init` says otherwise. */
  rest(path: string, token?: string, init?: RequestInit): Promise<RestAnswer>;
  gql(
    query: string,
    variables?: object,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<GraphQLAnswer>;
  /** Stores records through the importer. */
  load(records: Iterable<object>): Promise<ImportCounts>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  now?: number;
  /** The clock that a gateway has outside of tests, instead of one that stands still. */
  realClock?: boolean;
  env?: Record<string, string>;
  log?: Log;
  /** Instead of an empty one. */
  database?: OpenOptions['database'];
  onGateway?: (gateway: Gateway) => void;
  /** Without it everything is answered the ordinary way; see docs/fast-lane.md. */
  fastLane?: boolean;
  /** How long idle connections are kept when closing; 0 by default. */
  idleMs?: number;
}

/** `TEST_FAST_LANE=off` runs any test without the fast lane. */
const FAST_LANE = process.env['TEST_FAST_LANE'] !== 'off';

/** Starts a gateway on an empty, migrated database: PGlite, or PostgreSQL when TEST_DATABASE_URL is set. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  let now = options.now ?? NOON;
  const database = options.database ?? (await freshDatabase());
  const config = readConfig({
    PORT: '0',
    NODE_ENV: 'test',
    DEMO: 'false',
    RATE_LIMIT: '0',
    DATA_DIR: join(tmpdir(), `app-${randomBytes(4).toString('hex')}`),
    ...options.env,
  });
  let services: Services | undefined;
  const gateway = await startGateway(config, {
    database,
    ...(!options.realClock && { clock: () => now }),
    log: options.log ?? createLog('silent'),
    fastLane: options.fastLane ?? FAST_LANE,
    onServices: (made) => (services = made),
    idleMs: options.idleMs ?? 0,
  });
  options.onGateway?.(gateway);
  if (!services) throw new Error('the gateway made no services');
  const made = services;
  const rest: TestApp['rest'] = async (path, token, init = {}) => {
    const headers = new Headers(init.headers);
    if (token) headers.set('x-service-csrf-token-x', token);
    const response = await fetch(gateway.url + path, { redirect: 'manual', ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : {},
    };
  };
  return {
    url: gateway.url,
    services: made,
    setTime: (ms) => (now = ms),
    signedIn: async (login) => (await createSession(made, login)).token,
    rest,
    gql: async (query, variables, token, headers = {}) => {
      const answer = await rest('/graphql', token, {
        method: 'POST',
        body: JSON.stringify({ query, variables }),
        headers: { 'content-type': 'application/json', ...headers },
      });
      return { status: answer.status, ...answer.json } as GraphQLAnswer;
    },
    load: (records) => importRecords(made, asLines(records), { name: 'test' }),
    close: () => gateway.close(),
  };
}

/** A copy of the migrated, empty database. */
export async function freshDatabase(): Promise<OpenOptions['database']> {
  const template = inject('template');
  if (template.kind === 'embedded')
    return { kind: 'memory', pglite: await openEmbeddedCopy(template.file) };
  const name = `${template.name}_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: template.url });
  await admin.connect();
  await admin.query('SELECT pg_advisory_lock(726371)'); // one copy of a template at a time
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template.name}`);
  await admin.end();
  const own = new URL(template.url);
  own.pathname = `/${name}`;
  return { kind: 'server', url: own.href, poolSize: 4 };
}
