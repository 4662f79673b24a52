import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type RestAnswer, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const open = (url: string, more = ''): Promise<RestAnswer> =>
  app.rest(`/explain?url=${encodeURIComponent(url)}${more}`);
const submit = (fields: Record<string, string>): Promise<RestAnswer> =>
  app.rest('/explain', undefined, { method: 'POST', body: new URLSearchParams(fields) });

describe('GET /explain', () => {
  it('shows operation, variables, cost, what does not count, and a link to GraphiQL', async () => {
    const { status, text, headers } = await open('/task/v1/feeds/list?limit=2&pin=7&user_id=1');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const shown of [
      'query RetrieveFeeds(',
      '&#34;first&#34;: 2',
      'Cost <strong>6</strong> of 5000',
      'must be -1, 0 or 1: the default -1 counts',
      'comes from the session',
      'href="/graphql?query=query%20RetrieveFeeds',
      'id="run"',
    ])
      expect(text).toContain(shown);
  });

  it('is a form without a URL; answers HEAD, and 405 to other methods', async () => {
    expect((await app.rest('/explain')).text).toContain('Examples');
    expect(await app.rest('/explain', undefined, { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
    });
    const refused = await app.rest('/explain', undefined, { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, POST, OPTIONS',
    ]);
  });

  it('gives examples of days around today', async () => {
    const { text } = await app.rest('/explain');
    const days = [...text.matchAll(/_date=(\d{4})(\d{2})(\d{2})&#38;/g)].map(([, ...day]) =>
      Date.parse(day.slice(0, 3).join('-')),
    );
    expect(days).toHaveLength(3);
    for (const day of days) expect(Math.abs(day - Date.now())).toBeLessThan(5 * 86_400_000);
  });

  it('shows a write and does not run it', async () => {
    const { text } = await submit({
      url: '/task/v1/actions/5/suggested-date',
      method: 'POST',
      body: 'sugg_start_date_val=20270101',
    });
    expect(text).toContain('mutation SuggestFeedDates');
    expect(text).toContain('shown here and not run');
    expect(text).toContain('id="request">{}</script>');
    expect(text).not.toContain('id="run"');
  });

  it('keeps no secret of a curl command line, and puts none into a link', async () => {
    const shown = [
      await submit({
        url: `curl '/task/v1/feeds/list?limit=2' -H 'X-service-csrf-token-X: s3cret' -H 'Prefer: handling=strict'`,
      }),
      await submit({
        url: `curl -H 'Authorization: Bearer s3cret' -H "API-Key: s3cret" -u me:s3cret /nope`,
      }),
      // The end of a long text is not shown again: here it is cut behind the word.
      await submit({
        url: `curl ${'/nope'.padEnd(19_975)} -u 'me:it is s3cret ${'x'.repeat(50)}'`,
      }),
      await submit({ url: `curl /session -d login=ana -d password=s3cret` }),
      await submit({ url: `curl /session -d id_token=s3cret.s3cret.s3cret` }),
      await submit({
        url: `curl /session -H 'Content-Type: application/json' -d '{"id_token": "s3cret"}'`,
      }),
    ];
    for (const { text } of shown) expect(text).not.toContain('s3cret');
    expect(shown[0]!.text).toContain(
      'curl &#39;/task/v1/feeds/list?limit=2&#39; -H &#39;prefer: handling=strict&#39;',
    );
  });

  it('omits GraphiQL in production', async () => {
    const production = await startApp({ env: { NODE_ENV: 'production' } });
    try {
      const { text } = await production.rest('/explain?url=/task/v1/feeds/list');
      expect(text).toContain('query RetrieveFeeds');
      expect(text).not.toContain('GraphiQL');
    } finally {
      await production.close();
    }
  });

  it('works under BASE_PATH', async () => {
    const below = await startApp({ env: { BASE_PATH: '/gateway' } });
    try {
      const base = below.url.endsWith('/gateway') ? '' : '/gateway';
      for (const url of ['/gateway/api/Workspaces', '/api/Workspaces']) {
        const { status, text } = await below.rest(`${base}/explain?url=${url}`);
        expect([
          status,
          text.includes('action="/gateway/explain"'),
          text.includes('"url":"/gateway/api/Workspaces"'),
          text.includes('href="/gateway/graphql?query='),
        ]).toEqual([200, true, true, true]);
      }
    } finally {
      await below.close();
    }
  });
});

describe('what an attacker puts into the URL', () => {
  const payloads = [
    '"><script>alert(1)</script>',
    "'onfocus=alert(1) autofocus='",
    '</textarea><img src=x onerror=alert(1)>',
    '</script><script>alert(1)</script>',
    '<!--<script>',
    '\u2028alert(1)',
    '${alert(1)}',
    '`',
  ];
  it.each(payloads)('%j comes back as text', async (payload) => {
    for (const url of [
      payload,
      `/${payload}`,
      `/task/v1/feeds/list?feed_title=${payload}&${payload}=1`,
      `/task/v1/feeds/${payload}`,
      `http://x/${payload}`,
      `curl '/task/v1/feeds/list' -H 'Prefer: ${payload}'`,
    ]) {
      const { status, text, headers } = await open(url, `&method=${encodeURIComponent(payload)}`);
      const plain = await open(url);
      for (const page of [text, plain.text]) {
        expect(page.match(/<script/g)?.length ?? 0).toBeLessThanOrEqual(2);
        expect(page).not.toMatch(/<img|<!--|<[^>]*\son\w+=/);
        expect(page.match(/<\/textarea>/g)).toHaveLength(2);
      }
      expect(status).toBeLessThan(500);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  it('the policy allows our own script and style by their hashes, and nothing else', async () => {
    const { text, headers } = await open('/api/Workspaces');
    const policy = headers.get('content-security-policy')!;
    const hash = (content: string): string =>
      `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    expect(policy).toContain(`script-src ${hash(/<script>(.*?)<\/script>/s.exec(text)![1]!)};`);
    expect(policy).toContain(`style-src ${hash(/<style>(.*?)<\/style>/s.exec(text)![1]!)};`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/(src|href|action)="(https?:)?\/\//);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

it.each([
  ['no URL', () => open('hello'), 400, 'not a URL'],
  [
    'another host',
    () => open('https://elsewhere.example/task/v1/feeds/list'),
    400,
    'paste the path alone',
  ],
  ['an unknown path', () => open('/nope'), 400, 'No REST path'],
  ['what REST refuses', () => open('/task/v1/feeds/count'), 400, 'start_date is required'],
  [
    'a URL of 10 kB',
    () => open(`/task/v1/feeds/list?feed_title=${'x'.repeat(10_000)}`),
    414,
    'longer than 8000 characters',
  ],
  [
    'a URL of 10 kB in the form',
    () => submit({ url: `/task/v1/feeds/list?feed_title=${'x'.repeat(10_000)}` }),
    400,
    'no path takes more than 8000',
  ],
  ['a broken curl line', () => submit({ url: "curl '/task" }), 400, 'can not be read'],
  [
    'a hundred thousand blanks',
    () => submit({ url: `GET /x${' '.repeat(99_000)}y` }),
    400,
    'The URL has',
  ],
  ['an empty form', () => submit({}), 400, 'Paste a URL'],
  [
    'JSON instead of a form',
    () =>
      app.rest('/explain', undefined, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      }),
    415,
    'Send a form',
  ],
] as const)('%s is told to people', async (_, ask, status, message) => {
  const answer = await ask();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    'text/html; charset=utf-8',
  ]);
  expect(/<div class="error" role="alert">(.*?)<\/div>/s.exec(answer.text)?.[1]).toContain(message);
});
