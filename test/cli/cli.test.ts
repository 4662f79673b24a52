import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import { cliProgram, triviumSync, type Ended } from '../support/trivium.ts';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-cli-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command line from a foreign folder with an embedded database of its own. */
function trivium(
  args: string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Ended {
  const env = { DATA_DIR: join(folder, 'data'), ...options.env };
  return triviumSync(args, { cwd: folder, env, input: options.input });
}

test('routes prints method, path, operation and file', () => {
  expect(trivium(['routes']).stdout).toMatch(
    /^GET +\/task\/v1\/feeds\/list\/tasks +\S+ +task-execution\/retrieve\/rest\.ts$/m,
  );
});

test.runIf(existsSync('/dev/full'))(
  'a result that can not be written is a failure with words',
  () => {
    const full = openSync('/dev/full', 'w');
    for (const args of [['routes'], ['routes', '--json']]) {
      const { status, stderr } = spawnSync(process.execPath, [cliProgram, ...args], {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('could not be written (ENOSPC'),
      ]);
      if (args.length > 1) expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'FAILURE' } });
    }
    closeSync(full);
  },
);

test.runIf(existsSync('/dev/full'))(
  'a message that can not be written leaves the exit code as it is',
  () => {
    writeFileSync(join(folder, 'none.tar.gz'), 'no backup');
    const full = openSync('/dev/full', 'w');
    for (const [code, ...args] of [
      [2, 'backup', 'new.tar.gz'],
      [2, 'nonsense'],
      [2, 'nonsense', '--json'],
      [3, 'restore', 'none.tar.gz'],
    ] as const) {
      const { status } = spawnSync(process.execPath, [cliProgram, ...args], {
        cwd: folder,
        env: { ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, 'nothing') },
        stdio: ['ignore', 'ignore', full],
      });
      expect([status, ...args]).toEqual([code, ...args]);
    }
    closeSync(full);
  },
);

describe('usage', () => {
  test('--help names every command and exit code', () => {
    const { status, stdout } = trivium(['--help']);
    expect(status).toBe(0);
    for (const word of [
      'serve',
      'migrate',
      'demo',
      'import <file...>',
      'session',
      'routes',
      'Exit codes:',
    ])
      expect(stdout).toContain(word);
  });

  test.each(['serve', 'migrate', 'demo', 'import', 'session', 'routes'])(
    '%s --help shows an example and the exit codes',
    (command) => {
      const { status, stdout } = trivium([command, '--help']);
      expect(status).toBe(0);
      expect(stdout).toMatch(/Examples?:\n/);
      expect(stdout).toContain('Exit codes:');
    },
  );

  test('--help tells the options that a command can not do without', () => {
    const { stdout } = trivium(['domain', 'export', '--help']);
    expect(stdout).toMatch(/--domain <name> +name of the domain \(required\)\n/);
    expect(stdout.match(/required/g)).toHaveLength(1);
  });

  test.each([
    ['an unknown option', ['demo', '--fly']],
    ['no file', ['import']],
    ['no login', ['session', 'create']],
  ])('%s exits with 2', (_, args) => {
    const { status, stdout, stderr } = trivium(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a wrong environment exits with 2 and names the variable', () => {
    const { status, stderr } = trivium(['migrate'], { env: { PORT: 'x' } });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^PORT: /)]);
  });

  test.each([
    ['file:///var/lib/trivium', '"file:///var/lib/trivium"'],
    ['postgresql://me:secret@127.0.0.1/trivium', '"…"'],
  ])('DATA_DIR=%s exits with 2, and makes no folder of that name', (DATA_DIR, shown) => {
    const before = readdirSync(folder);
    const { status, stderr } = trivium(['domain', 'list'], { env: { DATA_DIR } });
    expect([status, stderr]).toEqual([2, `DATA_DIR: expected a folder, not a URL (is ${shown})\n`]);
    expect(readdirSync(folder)).toEqual(before);
  });

  test.each([
    ['ftp://example.com', 'without user, query and fragment (is "ftp://example.com")'],
    ['https://example.com/x#y', 'without user, query and fragment (is "https://example.com/x#y")'],
    ['https://example.com/x?', 'without user, query and fragment (is "…")'],
    ['https://me:secret@example.com', 'without user, query and fragment (is "…")'],
  ])('PUBLIC_URL=%s exits with 2, as links could not begin with it', (PUBLIC_URL, end) => {
    const { status, stderr } = trivium(['migrate'], { env: { PUBLIC_URL } });
    expect([status, stderr]).toEqual([
      2,
      `PUBLIC_URL: expected an http:// or https:// URL ${end}\n`,
    ]);
  });

  test.each([
    ['DATABASE_URL', 'postgresql://me@127.0.0.1:54322222/trivium'],
    ['DATABASE_URL', 'postgresql://me:secret/word@127.0.0.1/trivium'],
    ['DATABASE_URL', 'postgresql://me:secret#word@127.0.0.1/trivium'],
    ['DATABASE_REPLICA_URL', 'postgresql://me:secret/word@127.0.0.1/trivium'],
  ])('%s=%s exits with 2 and says how to write it, without the password', (name, url) => {
    const env = { DATABASE_URL: 'postgresql://me@127.0.0.1/trivium', [name]: url };
    const { status, stderr } = trivium(['migrate'], { env });
    expect([status, stderr]).toEqual([
      2,
      `${name}: expected postgresql://user:password@host:5432/name, where / ? # and @ in the password are %2F %3F %23 and %40 (is "…")\n`,
    ]);
  });

  test('a variable that is wrong in several ways has one line', () => {
    const env = { DATABASE_URL: 'x', HSTS_MAX_AGE: '99999999999999999999' };
    const { status, stderr } = trivium(['migrate'], { env });
    expect([status, stderr.trim().split('\n').sort()]).toEqual([
      2,
      [
        'DATABASE_URL: expected a postgresql:// URL (is "…")',
        expect.stringMatching(/^HSTS_MAX_AGE: expected /),
      ],
    ]);
  });

  test('OTEL_EXPORTER_OTLP_ENDPOINT with a query exits with 2, and does not tell the query', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://example.com/otlp?key=secret' };
    const { status, stderr } = trivium(['migrate'], { env });
    expect([status, stderr]).toEqual([
      2,
      'OTEL_EXPORTER_OTLP_ENDPOINT: expected an http:// or https:// URL without query and fragment (is "…")\n',
    ]);
  });

  test.each([
    ['a database that does not answer', 'postgresql://nobody@127.0.0.1:1/none'],
    ['one whose host is a parameter', 'postgresql://nobody@/none?host=127.0.0.1&port=1'],
    [
      'the same, with options',
      'postgresql://nobody@/none?options=-c%20jit=on&host=127.0.0.1&port=1',
    ],
  ])('%s exits with 1 in one line', (_, url) => {
    const { status, stderr } = trivium(['migrate'], { env: { DATABASE_URL: url } });
    expect([status, stderr]).toEqual([1, 'error: connect ECONNREFUSED 127.0.0.1:1\n']);
  });
});

describe('import', () => {
  test('exits with 0, then with 3 and file:line: field: reason, and reads standard input', () => {
    writeFileSync(
      join(folder, 'good.ndjson'),
      '{"record":"domain","name":"d"}\n{"feed_key":1,"domain":"d","kind":"TASK","feed_title":"t"}\n',
    );
    writeFileSync(
      join(folder, 'bad.ndjson'),
      '{"record":"domain","name":"d"}\n{"feed_key":1,"domain":"d","status":"?"}\n',
    );
    const good = trivium(['import', 'good.ndjson']);
    expect([good.status, good.stdout, good.stderr]).toEqual([
      0,
      'good.ndjson: 2 records: 2 new (domain: 1 new; feed: 1 new)\n',
      '',
    ]);
    const bad = trivium(['import', 'bad.ndjson']);
    expect([bad.status, bad.stdout]).toEqual([3, '']);
    expect(bad.stderr).toMatch(
      /^bad\.ndjson:2: status: .*\nbad\.ndjson: 1 problem, nothing was imported\n$/,
    );
    const piped = trivium(['import', '-'], { input: '{"feed_key":1,"domain":"d","status":"P"}' });
    expect([piped.status, piped.stdout]).toEqual([
      0,
      'stdin: 1 record: 1 changed (feed: 1 changed)\n',
    ]);
  }, 240_000);

  test('session create prints the token alone, and exits with 2 for a login that no one has', () => {
    trivium(['import', '-'], {
      input: '{"record":"domain","name":"d"}\n{"record":"user","domain":"d","login":"ana"}',
    });
    const { status, stdout } = trivium(['session', 'create', '--login', 'Ana']);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^[A-Za-z0-9_-]{43}\n$/)]);
    const unknown = trivium(['session', 'create', '--login', 'nobody']);
    expect([unknown.status, unknown.stdout, unknown.stderr]).toEqual([2, '', 'User not found\n']);
  }, 240_000);

  test('demo refuses a database that holds data', () => {
    const { status, stderr } = trivium(['demo']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--force')]);
  }, 240_000);

  test('a folder in use exits with 4 and names the process', () => {
    const release = lockFolder(join(folder, 'held'));
    try {
      const { status, stderr } = trivium(['migrate'], { env: { DATA_DIR: join(folder, 'held') } });
      expect([status, stderr]).toEqual([4, expect.stringContaining(`process ${process.pid}`)]);
    } finally {
      release();
    }
  });
});
