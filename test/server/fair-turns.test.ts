import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RequestSignal } from '../../src/core/signal.ts';
import { onAnswers } from '../../src/core/turns/share-of-turn.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { dripHttp, statuses } from '../support/raw-http.ts';
import { subscribeSse } from '../support/streams.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
let eve: string;
let acme: number;
beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, feed(1)]);
  [ana, eve] = [await app.signedIn('ana'), await app.signedIn('eve')];
  acme = (await app.services.db.prisma.domain.findUniqueOrThrow({ where: { name: 'acme' } })).id;
});
afterAll(() => app.close());

/** Takes all turns of acme that there are while the database is busy; returns how many. */
function takeAll(): number {
  const signal = new RequestSignal();
  for (let taken = 0; ; taken++) {
    const wait = app.services.turns.begin(acme, signal);
    if (!wait) continue;
    wait.catch(() => undefined);
    signal.abort(new Error('enough'));
    return taken;
  }
}

/** Runs `work` while statements seem to wait for connections, and acme has several requests running. */
async function whileBusy(work: (release: () => void) => Promise<void>): Promise<void> {
  const { db, turns } = app.services;
  Object.defineProperty(db.pool, 'waitingCount', { get: () => 1, configurable: true });
  let held = takeAll();
  const release = (): void => {
    for (; held > 0; held--) turns.end(acme);
  };
  try {
    await work(release);
  } finally {
    release();
    Reflect.deleteProperty(db.pool, 'waitingCount');
  }
}
const list = (token: string) => app.rest('/task/v1/feeds/list', token);
const viewer = (token: string) => app.gql('{ viewer { login } }', {}, token);
const running = async (count: number): Promise<void> => {
  while (app.services.turns.running !== count) await pause(5);
};
const waiting = async (count: number): Promise<void> => {
  while (app.services.turns.waiting !== count) await pause(5);
};

it('a domain with many requests waits while the database is busy, and another one does not', async () => {
  await whileBusy(async (release) => {
    const [page, answer] = [list(ana), viewer(ana)];
    await waiting(2);
    expect((await list(eve)).status).toBe(200);
    expect((await viewer(eve)).data.viewer.login).toBe('eve');
    expect((await app.rest('/healthz')).status).toBe(200);
    expect(app.services.turns.waiting).toBe(2);
    release();
    expect((await page).status).toBe(200);
    expect((await answer).data.viewer.login).toBe('ana');
  });
  expect(app.services.turns.waiting).toBe(0);
});

it('a domain with many requests waits, too, while answers wait for time to be worked on', async () => {
  const { turns } = app.services;
  const signal = new RequestSignal();
  const running = (): number => {
    let begun = 0;
    while (begun < 10 && !turns.begin(acme, signal)) begun++;
    for (let ends = begun; ends > 0; ends--) turns.end(acme);
    return begun;
  };
  expect(running()).toBe(10);
  void onAnswers.take();
  for (const begun = performance.now(); performance.now() - begun < 15;);
  const wait = onAnswers.take();
  expect(running()).toBe(4);
  await wait;
  await expect.poll(() => turns.waiting).toBe(0);
  turns.end(acme);
});

it('a request whose client has gone leaves its place', async () => {
  await whileBusy(async () => {
    const gone = new AbortController();
    const asked = app.rest('/task/v1/feeds/list', ana, { signal: gone.signal });
    await waiting(1);
    gone.abort();
    await expect(asked).rejects.toThrow('abort');
    await waiting(0);
  });
  expect((await list(ana)).status).toBe(200);
});

it('a request that has run out of time gives its turn back, whatever its client still sends', async () => {
  const slow = await startApp({ env: { REQUEST_TIMEOUT_MS: '500' } });
  try {
    await slow.load(organisation);
    const token = await slow.signedIn('ana');
    const { answer } = await dripHttp(
      slow.url,
      `POST /task/v1/actions/1/suggested-date HTTP/1.1\r\nHost: a\r\nX-service-csrf-token-X: ${token}\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n`,
      'x'.repeat(8_000),
    );
    expect(statuses(answer)).toEqual([408]);
    expect(slow.services.turns.running).toBe(0);
  } finally {
    await slow.close();
  }
});

it('a stream holds no turn, whatever its client accepts', async () => {
  const stream = await subscribeSse(app, ana, 'subscription { feedChanged { __typename } }');
  try {
    await running(0);
  } finally {
    stream.close();
  }
  const accept =
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';
  await whileBusy(async (release) => {
    const asked = app.gql('{ viewer { login } }', {}, ana, { accept });
    await waiting(1);
    release();
    expect((await asked).data.viewer.login).toBe('ana');
  });
});

it('every request gives its turn back, whether it is answered, refused or fails', async () => {
  await Promise.all([
    list(ana),
    app.rest('/task/v1/feeds/list?limit=x', ana),
    app.rest('/task/v1/actions/999999/suggested-date', ana, { method: 'POST', body: '{' }),
    app.gql('{ nothing }', {}, ana),
    app.gql('mutation { nothing }', {}, ana),
    viewer('unknown'),
  ]);
  expect(app.services.turns.running).toBe(0);
});
