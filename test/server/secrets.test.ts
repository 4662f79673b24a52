import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startApp, type RestAnswer } from '../support/app.ts';
import { organisation } from '../support/records.ts';
import { gatewayProgram } from '../support/trivium.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it(
  'no secret stands in a log line, a header, an error or the database: only in the answer that hands it out',
  { timeout: 120_000 },
  async () => {
    const lines: string[] = [];
    const app = await startApp({
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
      env: { SLOW_QUERY_MS: '1' },
    });
    const password = 'CANARY-password-of-ana';
    await app.load([
      ...organisation,
      {
        record: 'user',
        domain: 'acme',
        login: 'ana',
        password,
        permissions: ['DOMAIN_ADMIN', 'SUPERVISOR'],
      },
    ]);
    const answers: { of: string; answer: RestAnswer }[] = [];
    const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
    const call = async (
      of: string,
      path: string,
      token?: string,
      init?: RequestInit,
    ): Promise<RestAnswer> => {
      const answer = await app.rest(path, token, init);
      answers.push({ of, answer });
      return answer;
    };
    const gql = (
      of: string,
      query: string,
      variables: object,
      token: string,
    ): Promise<RestAnswer> => call(of, '/graphql', token, json({ query, variables }));

    const token: string = (
      await call('token', '/session', undefined, json({ login: 'ana', password }))
    ).json['token'];
    const second: string = (
      await call(
        'second',
        '/graphql',
        undefined,
        json({
          query: 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }',
          variables: { input: { login: 'ana', password } },
        }),
      )
    ).json['data'].signIn.token;
    const wrong = 'CANARY-wrong-password';
    await call('', '/session', undefined, json({ login: 'ana', password: wrong }));
    await call('', '/session', undefined, json({ login: { deep: wrong }, password: [wrong] }));
    const key: string = (
      await gql(
        'key',
        'mutation { issueApiKey(input: { customerId: "shop" }) { ... on IssueApiKeyPayload { key } ... on UserError { message } } }',
        {},
        token,
      )
    ).json['data'].issueApiKey.key;
    expect(key).toMatch(/^ttk_/);
    await call(
      '',
      '/api/task-tracker-external/tasks',
      undefined,
      json({ name: 'x' }, { 'API-Key': key, customerId: 'shop' }),
    );
    await call(
      '',
      '/api/task-tracker-external/tasks',
      undefined,
      json({ name: '' }, { 'API-Key': key, customerId: 'shop' }),
    );
    await call(
      '',
      '/api/task-tracker-external/tasks',
      undefined,
      json({ name: 'x' }, { 'API-Key': `${key.slice(0, -1)}_`, customerId: 'shop' }),
    );
    const scim: string = (
      await gql(
        'scim',
        'mutation { issueScimToken(input: {}) { ... on IssueScimTokenPayload { token } ... on UserError { message } } }',
        {},
        token,
      )
    ).json['data'].issueScimToken.token;
    expect(scim).toMatch(/^tsc_/);
    await call('', '/scim/v2/Users', scim);
    await call('', '/scim/v2/Users', scim, json({ userName: scim, displayName: { scim } }));
    await call('', '/scim/v2/Users/1', scim, { method: 'DELETE', headers: { 'if-match': 'x' } });
    await call('', '/scim/v2/Users', `${scim.slice(0, -1)}_`);
    await call('', '/task/v1/feeds/list', scim);
    const icsUrl: string = (
      await gql(
        'calendar',
        'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
        {},
        token,
      )
    ).json['data'].createCalendarSubscription.icsUrl;
    const calendar = new URL(icsUrl).pathname;
    await call('', calendar);
    const workspaceId: string = (
      await call('', '/api/Workspaces/create', token, json({ name: 'Safe' }))
    ).json['data'];
    const checksum = `CANARY${'k'.repeat(37)}=`;
    const guess = `CANARY${'g'.repeat(37)}=`;
    const id = Buffer.from(`Workspace:${workspaceId}`).toString('base64');
    await gql(
      '',
      'mutation ($input: EnableEncryptionInput!) { enableEncryption(input: $input) { __typename ... on UserError { message } } }',
      { input: { workspaceId: id, checksum } },
      token,
    );
    await call('', '/api/Workspaces/enableEncryption', token, json({ workspaceId, checksum }));
    await call(
      '',
      '/api/Workspaces/enableEncryption',
      token,
      json({ workspaceId, checksum: guess }),
    );
    for (const tried of [checksum, guess])
      await gql(
        '',
        'mutation ($input: VerifyWorkspaceKeyInput!) { verifyWorkspaceKey(input: $input) { __typename ... on VerifyWorkspaceKeyPayload { status } ... on UserError { message } } }',
        { input: { workspaceId: id, checksum: tried } },
        token,
      );
    // Failures of every kind with a secret at hand, one of them unexpected.
    const headers = { 'API-Key': key, customerId: 'shop', authorization: `Bearer ${second}` };
    for (const path of [
      '/task/v1/feeds/list?starting_after=x',
      '/task/v1/nothing',
      '/api/Datasets',
      '/api/task-tracker-external/tasks/1',
      '/graphql?query={nothing}',
      '/readyz',
    ])
      await call('', path, token, { headers });
    const { db } = app.services;
    const rows = db.rows;
    db.rows = (sql, ...rest) =>
      sql.includes('feed_listing')
        ? Promise.reject(new Error('the unexpected'))
        : rows(sql, ...rest);
    await call('', '/task/v1/feeds/list', token, { headers });
    await gql('', '{ viewer { feeds(filter: { feedTitle: "x" }) { totalCount } } }', {}, token);
    db.rows = rows;
    await call('', '/session', second, { method: 'DELETE' });
    const { id: tess } = await db.prisma.user.findUniqueOrThrow({ where: { login: 'tess' } });
    const oneTime: string = (
      await gql(
        'oneTime',
        'mutation ($id: ID!) { setOneTimePassword(input: { userId: $id }) { ... on SetOneTimePasswordPayload { password } } }',
        { id: Buffer.from(`User:${tess}`).toString('base64') },
        token,
      )
    ).json['data'].setOneTimePassword.password;
    const chosen = 'CANARY-chosen-password';
    await call('', '/session', undefined, json({ login: 'tess', password: oneTime }));
    const third: string = (
      await call(
        'third',
        '/session',
        undefined,
        json({ login: 'tess', password: oneTime, new_password: chosen }),
      )
    ).json['token'];
    const next = 'CANARY-next-password';
    for (const oldPassword of [wrong, chosen])
      await gql(
        '',
        'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { __typename ... on UserError { message } } }',
        { input: { oldPassword, newPassword: next } },
        third,
      );
    expect(
      (await app.rest('/session', undefined, json({ login: 'tess', password: next }))).status,
    ).toBe(200);

    const secrets: Record<string, string> = {
      password,
      wrong,
      token,
      second,
      key,
      scim,
      calendar: calendar.replace(/^.*\/|\.ics$/g, ''),
      checksum,
      guess,
      oneTime,
      chosen,
      third,
      next,
    };
    for (const [name, secret] of Object.entries(secrets))
      expect([name, secret.length]).toEqual([name, Math.max(20, secret.length)]);
    const tables = await db.rows(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
      [],
    );
    const dump: string[] = [];
    for (const [table] of tables)
      for (const [row] of await db.rows(`SELECT t::text FROM "${table}" t`, []))
        dump.push(`${table} ${row}`);
    await app.close();
    expect(dump.length).toBeGreaterThan(30);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.some((line) => line.includes('the unexpected'))).toBe(true);
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, lines.filter((line) => line.includes(secret))]).toEqual([name, []]);
      // Of a key it is the checksum alone that is kept, to tell whether another one is the same.
      expect([
        name,
        dump.filter(
          (row) => row.includes(secret) && !(name === 'checksum' && row.startsWith('workspace ')),
        ),
      ]).toEqual([name, []]);
      for (const { of, answer } of answers) {
        const text = JSON.stringify([...answer.headers]) + (of === name ? '' : answer.text);
        expect([name, of, text.includes(secret)]).toEqual([name, of, false]);
      }
    }
  },
);

it(
  'what the environment holds is not repeated by a gateway that can not start',
  { timeout: 240_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-secrets-'));
    const start = (env: Record<string, string>): { status: number | null; output: string } => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [gatewayProgram], {
        cwd: root,
        env: {
          ...process.env,
          NODE_ENV: 'development',
          DATABASE_URL: '',
          DATA_DIR: folder,
          PORT: '0',
          DEMO: 'false',
          LOG_LEVEL: 'trace',
          ...env,
        },
        encoding: 'utf8',
        timeout: 100_000,
      });
      return { status, output: stdout + stderr };
    };
    try {
      const faulty = start({
        DATABASE_URL: 'mysql://trivium:CANARY@127.0.0.1/x',
        STORAGE: 's3://id:CANARY@bucket',
        PUBLIC_URL: 'ftp://me:CANARY@example.com',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'gopher://me:CANARY@example.com',
      });
      expect(faulty.status).toBe(2);
      for (const name of ['DATABASE_URL', 'STORAGE', 'PUBLIC_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
        expect(faulty.output).toContain(name);
      const unreachable = start({
        DATABASE_URL: 'postgresql://trivium:CANARY@127.0.0.1:1/x',
        AWS_SECRET_ACCESS_KEY: 'CANARY',
        STORAGE: 's3://bucket?endpoint=http://127.0.0.1:1',
      });
      expect(unreachable.status).toBe(1);
      expect(faulty.output + unreachable.output).not.toContain('CANARY');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

it('secrets are compared by what the database finds for their hash, or in constant time', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('generated'),
  );
  const suspicious = files.flatMap((file) =>
    readFileSync(join(root, 'src', file), 'utf8')
      .split('\n')
      .filter(
        (line) =>
          /\b(\w*[tT]oken|\w*[pP]assword|\w*[sS]ecret|\w*[kK]eyHash|encryption_checksum|args\.checksum)\s*[!=]==?\s|[!=]==\s*(\w+\.)?(token|password|secret|keyHash|checksum)\b/.test(
            line,
          ) && !/[!=]==?\s*(undefined|null|'|\d)/.test(line),
      )
      .map((line) => `${file}: ${line.trim()}`),
  );
  // Checksums of migration files, which are no secrets.
  expect(suspicious.filter((line) => !line.startsWith('core/migrations/'))).toEqual([]);
});
