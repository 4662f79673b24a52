/**
 * What the dearest documents that the cost limit lets through take on the embedded demo: database time, and how long the event loop is held up. Documents of one field each,
 * as often as the limit allows, and mixtures of them. Aims: 1 s of database and 100 ms of the loop a document.
 * usage: node --import tsx bench/costs.ts [mixtures]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createSession } from '../src/accounts/sessions/create-session.ts';
import { readConfig } from '../src/core/context/config.ts';
import type { Services } from '../src/core/context/context.ts';
import type { Run } from '../src/core/wire/wire.ts';
import { createLog } from '../src/core/log.ts';
import { startGateway } from '../src/server/start.ts';

const MIXTURES = Number(process.argv[2] ?? 20);
const days = Array.from({ length: 1_000 }, (_, i) =>
  new Date(Date.UTC(2025, 0, 1 + 2 * i)).toISOString().slice(0, 10),
);
const F = 'nodes { id feedTitle status priority endDateTime }';
const range = 'from: "2025-01-01", to: "2027-12-01"';

/** Fields of a viewer that are dear for what they cost. */
const fields: readonly string[] = [
  `feeds(first: 100) { ${F} }`,
  'feeds(first: 0) { totalCount }',
  'feeds(first: 0, filter: { feedTitle: "a" }) { totalCount }',
  'feeds(first: 1, filter: { feedTitle: "zzzq", view: STORE_VIEW }) { nodes { id } }',
  'feeds(first: 1, filter: { selectedDates: $days }) { totalCount }',
  'feeds(first: 1, filter: { tags: $texts }) { totalCount }',
  'feeds(first: 100) { nodes { tasks(first: 40) { nodes { id } } } }',
  'feeds(first: 100) { nodes { tasks(first: 1) { totalCount } } }',
  'tasks(first: 100, orderBy: [{ field: FEED_TITLE }]) { nodes { id parent { id } } }',
  'feedCounts(startDate: "2020-01-01", endDate: "2030-01-01") { total }',
  'feedCounts(startDate: "2020-01-01", endDate: "2030-01-01", filter: { feedTitle: "a" }) { total }',
  'feedChanges { edges { node { __typename } } }',
  `calendar(source: STORE_PROJECTS, ${range}) { ... on CalendarProjects { projects { projectTitle feed { id } } } }`,
  `calendar(source: STORE_PROJECTS, ${range}) { __typename }`,
  `calendar(source: STORE_WALK_CAL, ${range}) { ... on CalendarWalks { walks { projectTitle } } }`,
  'leadershipCalendar(type: ANNUAL, month: 1, year: 2026) { truncated }',
  'leadershipCalendar(type: ANNUAL, month: 1, year: 2026) { projects { projectTitle feed { id } } }',
  'configuration { sources { key } smartSearch }',
];

const folder = await mkdtemp(join(tmpdir(), 'trivium-costs-'));
let services: Services | undefined;
const gateway = await startGateway(
  readConfig({ PORT: '0', RATE_LIMIT: '0', DEMO: 'true', DATA_DIR: folder }),
  { log: createLog('error'), onServices: (made) => (services = made) },
);
if (!services) throw new Error('the gateway made no services');
const { db } = services;
const { token } = await createSession(services, 'associate');

/** Time in which at least one statement ran, in milliseconds. */
let busy = 0;
let running = 0;
let since = 0;
const timed =
  <Result>(run: Run<Result>): Run<Result> =>
  async (...args) => {
    if (running++ === 0) since = performance.now();
    try {
      return await run(...args);
    } finally {
      if (--running === 0) busy += performance.now() - since;
    }
  };
Object.assign(db, { rows: timed(db.rows), read: timed(db.read) });
const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();

interface Measured {
  cost: number | undefined;
  code: string | undefined;
  databaseMs: number;
  loopMs: number;
}

async function measure(selection: string): Promise<Measured> {
  const variables = [
    ...(selection.includes('$days') ? ['$days: [LocalDate!]'] : []),
    ...(selection.includes('$texts') ? ['$texts: [String!]'] : []),
  ];
  const query = `query ${variables.length > 0 ? `(${variables.join(' ')})` : ''} { viewer { ${selection} } }`;
  busy = 0;
  since = performance.now();
  loop.reset();
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': token },
    body: JSON.stringify({ query, variables: { days, texts: days } }),
  });
  const answer = (await response.json()) as {
    extensions?: { cost?: { requested: number } };
    errors?: { extensions: { code: string } }[];
  };
  if (running > 0) busy += performance.now() - since;
  return {
    cost: answer.extensions?.cost?.requested,
    code: answer.errors?.[0]?.extensions.code,
    databaseMs: busy,
    loopMs: loop.max / 1e6,
  };
}

const aliased = (all: readonly string[]): string =>
  all.map((field, i) => `a${i}: ${field}`).join(' ');

/** As many of a field as run. */
async function most(field: string): Promise<{ times: number; measured: Measured }> {
  for (let times = 48; times > 1; times = Math.floor(times * 0.8)) {
    const measured = await measure(aliased(Array<string>(times).fill(field)));
    if (measured.code === undefined) return { times, measured };
  }
  return { times: 1, measured: await measure(field) };
}

const all: Measured[] = [];
const print = (name: string, { cost, databaseMs, loopMs, code }: Measured): void =>
  void process.stdout.write(
    `${String(cost ?? '-').padStart(6)} ${databaseMs.toFixed(0).padStart(7)} ${loopMs.toFixed(0).padStart(7)}  ${code ?? ''} ${name.slice(0, 110)}\n`,
  );
try {
  // The images of the demo are still being made.
  for (
    let before = -1_000;
    busy - before > 100;
    await new Promise((done) => setTimeout(done, 1_000))
  )
    before = busy;
  for (const field of fields) await measure(field);
  process.stdout.write('  cost  db ms   loop ms\n');
  for (const field of fields) {
    const { times, measured } = await most(field);
    all.push(measured);
    print(`${times} × ${field}`, measured);
  }
  let seed = 7;
  const random = (below: number): number =>
    (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let i = 0; i < MIXTURES; i++) {
    const chosen: string[] = [];
    for (let tries = 0; tries < 12; tries++) {
      const next = [...chosen, fields[random(fields.length)] ?? ''];
      const { code } = await measure(aliased(next));
      if (code === undefined) chosen.push(next.at(-1) ?? '');
    }
    const measured = await measure(aliased(chosen));
    all.push(measured);
    print(`mixture of ${chosen.length}`, measured);
  }
  process.stdout.write(
    `worst: ${Math.max(...all.map(({ databaseMs }) => databaseMs)).toFixed(0)} ms of database, ${Math.max(...all.map(({ loopMs }) => loopMs)).toFixed(0)} ms of the event loop\n`,
  );
} finally {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
}
