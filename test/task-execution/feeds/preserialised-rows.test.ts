import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

// REST rows, and GraphQL rows of compiled queries, are written from the bytes that PostgreSQL sent: these are the bytes that clients read.

let app: TestApp;
let ana: string;
const NOW = Date.parse('2026-11-20T12:00:00Z');
beforeAll(async () => {
  app = await startApp({ now: NOW });
  await app.load([...organisation, feed(1), feed(2)]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const json = { 'content-type': 'application/json' };
const post = async (query: string): Promise<string> =>
  (
    await app.rest('/graphql', ana, {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: json,
    })
  ).text;

/** Any text that PostgreSQL takes. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '\n',
        '\r',
        '\t',
        '\b',
        '\f',
        '\u0001',
        '\u001f',
        '\u007f',
        '\u2028',
        '/',
        'é',
        '\u{1F600}',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 60,
  })
  .filter((value) => value.isWellFormed() && !value.includes('\0'));
const instant = fc.oneof(
  fc.date({
    min: new Date('0001-01-03T00:00:00Z'),
    max: new Date('9998-12-28T00:00:00Z'),
    noInvalidDate: true,
  }),
  fc.date({
    min: new Date('0001-01-03T00:00:00Z'),
    max: new Date('0101-01-01T00:00:00Z'),
    noInvalidDate: true,
  }),
  fc.date({
    min: new Date('1880-01-01T00:00:00Z'),
    max: new Date('2100-01-01T00:00:00Z'),
    noInvalidDate: true,
  }),
);
/** Also with what JavaScript writes otherwise than PostgreSQL: keys that are numbers, and numbers that are no small integers. */
const config = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(
    fc.constantFrom('b', 'a', '10', '9', '-1', '1a', ''),
    fc.oneof(
      fc.constantFrom<unknown>(
        0,
        -0,
        1.5,
        1e21,
        0.05,
        -0.5,
        1e-6,
        1e-7,
        0.1 + 0.2,
        12_345_678.901,
        -7,
        999_999_999_999_999,
        1_000_000_000_000_000,
        Number.MAX_SAFE_INTEGER,
        'x y',
        '5',
        '',
        true,
        null,
        [],
        {},
      ),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
  ),
);
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
  'Africa/Monrovia',
);

const selection =
  'id feedKey feedTitle title: feedTitle status kind priority transactionKey startDateTime endDateTime createDtm startsAt endDateUtc lastUpdatedTime timeToAct futureFeed pin panelConfig showWhyUrl suggestedStartDate __typename';
/** Documents, and what they answer of the feed whose values these are. */
const documents: [string, (row: Row) => string][] = [
  [`{ viewer { feeds { nodes { ${selection} } } } }`, (row) => JSON.stringify(row)],
  [
    `{ viewer { feeds { edges { cursor a: node { ${selection} } b: cursor __typename } pageInfo { endCursor } totalCount } } }`,
    (row) => `","a":${JSON.stringify(row)},"b":"`,
  ],
  [
    `{ viewer { mine: feeds { ...P } all: feeds { nodes { status } } } } fragment P on FeedConnection { nodes { feedKey ...F } edges { node { ... on Feed { feedTitle } } } nodes { id } } fragment F on Feed { ${selection} }`,
    ({ id, feedKey, ...row }) => JSON.stringify({ feedKey, id, ...row }),
  ],
  [
    '{ viewer { feeds { edges { node { ... on Feed { feedTitle } } } } } }',
    ({ feedTitle }) => JSON.stringify({ node: { feedTitle } }),
  ],
];

type Row = Record<string, unknown>;

it('every text and every instant in every zone reads as it should in REST, in GraphQL and in compiled GraphQL', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      instant,
      instant,
      zone,
      fc.maxSafeInteger(),
      config,
      async (title, start, end, timeZone, key, given) => {
        const stored = JSON.stringify(given).includes('\\u0000') ? {} : given;
        await app.services.db.pool.query('UPDATE "user" SET time_zone_long = $1 WHERE login = $2', [
          timeZone,
          'ana',
        ]);
        await app.services.db.pool.query(
          'UPDATE feed SET title = $1, start_at = $2, end_at = $3, transaction_key = $4, panel_config = $5, show_why_url = $1 WHERE feed_key = 1',
          [title, start.toISOString(), end.toISOString(), key, JSON.stringify(stored)],
        );
        const wall = (date: Date): string =>
          Temporal.Instant.fromEpochMilliseconds(date.getTime())
            .toZonedDateTimeISO(timeZone)
            .toPlainDateTime()
            .round({ smallestUnit: 'second', roundingMode: 'floor' })
            .toString();
        const { rows: printed } = await app.services.db.pool.query<{ config: string }>(
          'SELECT panel_config::text AS config FROM feed WHERE feed_key = 1',
        );
        const panelConfig = printed[0]?.config ?? '';
        const answer = await app.rest(
          '/task/v1/feeds/list?projections=feed_key,feed_title,start_date_time,end_date_time,start_date_utc,time_to_act,transaction_key,panel_config,future_feed',
          ana,
        );
        const titleText = JSON.stringify(title);
        const restWall = (date: Date): string => wall(date).replace('T', ' ');
        expect(answer.text).toContain(
          `{"feed_key":1,"feed_title":${titleText},"start_date_time":"${restWall(start)}","end_date_time":"${restWall(end)}",` +
            `"panel_config":${panelConfig},"future_feed":${start.getTime() > NOW},"transaction_key":${key},` +
            `"start_date_utc":"${start.toISOString().slice(0, 19).replace('T', ' ')}","time_to_act":${end.getTime() - NOW}}`,
        );
        const row = {
          id: 'RmVlZDox',
          feedKey: 1,
          feedTitle: title,
          title,
          status: end.getTime() < NOW ? 'OVERDUE' : 'NEW',
          kind: 'MESSAGE',
          priority: null,
          transactionKey: key,
          startDateTime: wall(start),
          endDateTime: wall(end),
          createDtm: wall(new Date(NOW)),
          startsAt: start.toISOString(),
          endDateUtc: end.toISOString(),
          lastUpdatedTime: NOW,
          timeToAct: end.getTime() - NOW,
          futureFeed: start.getTime() > NOW,
          pin: false,
          panelConfig: JSON.parse(panelConfig) as unknown,
          showWhyUrl: title,
          suggestedStartDate: null,
          __typename: 'Feed',
        };
        for (const [document, bytes] of documents) {
          const first = await post(document);
          expect(first, document).toContain(bytes(row));
          expect([await post(document), await post(document)], document).toEqual([first, first]);
        }
      },
    ),
    { numRuns: 80 },
  );
}, 240_000);

it('lists whose reads end in another order than they are selected in stand where they were asked for', async () => {
  await app.services.db.pool.query("UPDATE feed SET end_at = '2026-12-01', title = 'One'");
  const original = app.services.db.read;
  const document =
    '{ viewer { a: feeds(first: 1) { nodes { feedKey } } b: feeds(first: 2) { edges { node { feedKey } } } c: feeds(first: 3) { nodes { id } } } }';
  const first = await post(document);
  try {
    app.services.db.read = async (sql, params, signal) => {
      const rows = await original(sql, params, signal);
      const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1] ?? 0);
      if (limit > 0) await new Promise((resolve) => setTimeout(resolve, 100 - 20 * limit));
      return rows;
    };
    expect(first).toContain(
      '{"data":{"viewer":{"a":{"nodes":[{"feedKey":1}]},"b":{"edges":[{"node":{"feedKey":1}},{"node":{"feedKey":2}}]},"c":{"nodes":[{"id":"RmVlZDox"},{"id":"RmVlZDoy"}]}}}',
    );
    expect([await post(document), await post(document)]).toEqual([first, first]);
  } finally {
    app.services.db.read = original;
  }
});

it('instants that clients have no text for are answered as the codecs answer them', async () => {
  await app.services.db.pool.query(
    `UPDATE "user" SET time_zone_long = 'Europe/Berlin' WHERE login = 'ana'`,
  );
  for (const [odd, startDateTime, startDateUtc] of [
    // Those without an ordinary year lose what PostgreSQL prints beyond it.
    ['0044-03-15 12:00:00+00 BC', '0044-03-15T12:53:28', '0044-03-15 12:00:00'],
    ['12026-01-01 00:00:00+00', '1199-04-24T10:35:08', '12026-01-01 00:00:0'],
    ['2026-01-01 00:00:00.9996+00', '2026-01-01T01:00:01', '2026-01-01 00:00:01'],
  ] as const) {
    await app.services.db.pool.query('UPDATE feed SET start_at = $1 WHERE feed_key = 1', [odd]);
    const answer = await app.rest(
      '/task/v1/feeds/list?projections=feed_key,start_date_time,start_date_utc',
      ana,
    );
    expect(answer.text).toContain(
      `{"feed_key":1,"start_date_time":"${startDateTime.replace('T', ' ')}","start_date_utc":"${startDateUtc}"}`,
    );
    const document =
      '{ viewer { feeds { nodes { feedKey startDateTime startDateUtc futureFeed } } } }';
    const first = await post(document);
    expect(first).toContain(`{"feedKey":1,"startDateTime":"${startDateTime}","startDateUtc":"`);
    expect([await post(document), await post(document)]).toEqual([first, first]);
  }
});

it('a feed that lacks what each must have makes compiled GraphQL answer as ordinary GraphQL does', async () => {
  const original = app.services.db.read;
  const document = '{ viewer { feeds { nodes { feedKey feedTitle } } } }';
  try {
    app.services.db.read = (sql, params, signal) =>
      original(sql.replace('f.title', 'nullif(f.title, f.title)'), params, signal);
    const first = await post(document);
    expect(JSON.parse(first)).toMatchObject({
      data: null,
      errors: [{ path: ['viewer', 'feeds', 'nodes', 0, 'feedTitle'] }],
    });
    expect([await post(document), await post(document)]).toEqual([first, first]);
  } finally {
    app.services.db.read = original;
  }
});
