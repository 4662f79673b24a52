import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import type { Services } from '../../src/core/context/context.ts';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import type { Gateway } from '../../src/server/start.ts';
import { freshDatabase } from '../support/app.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { leftOfDomains } from '../support/rows-left.ts';
import { storeImages } from '../support/store-images.ts';
import { trivium as runTrivium, type Ended } from '../support/trivium.ts';

/**
 * The real command line on two installations: beside a running gateway `here`, without one `there`. On PGlite a command
 * opens the database of `there`, and has that of `here` asked for by its gateway.
 */
const GENEROUS = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-domain-'));
const inFolder = (name: string): string => join(folder, name);

interface Place {
  env: Record<string, string>;
  gateway: Gateway;
  services: Services;
}

let here: Place;
let thereEnv: Record<string, string>;
let token = '';
const image = Buffer.from('the bytes of an image');

async function environment(cell: string): Promise<Record<string, string>> {
  const database = await freshDatabase();
  const own = { CELL: cell, DATA_DIR: inFolder(`data-${cell}`) };
  return database.kind === 'server' ? { ...own, DATABASE_URL: database.url } : own;
}

const startOn = async (env: Record<string, string>): Promise<Place> => ({
  env,
  ...(await startBeside(env)),
});

const run = (env: Record<string, string>, command: string): Promise<Ended> =>
  runTrivium(command.split(' '), { cwd: folder, env });
const atHome = (command: string): Promise<Ended> => run(here.env, `domain ${command}`);
const away = (command: string): Promise<Ended> => run(thereEnv, `domain ${command}`);
const refused = (message: string | RegExp, status = 2): object => ({
  status,
  stdout: '',
  stderr: typeof message === 'string' ? `${message}\n` : expect.stringMatching(message),
});

/** Files of images in the other installation. */
const storedThere = (): string[] =>
  readdirSync(inFolder('data-2'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{64}-/.test(entry.name))
    .map(({ name }) => name);

async function pageOf({ gateway }: Place): Promise<[number, string[]]> {
  const answer = await fetch(`${gateway.url}/task/v1/feeds/list?view_type=SV`, {
    headers: { 'x-service-csrf-token-x': token },
  });
  return [answer.status, [...(await answer.text()).matchAll(/Sweep \d/g)].map(String).sort()];
}

beforeAll(async () => {
  here = await startOn(await environment('1'));
  thereEnv = await environment('2');
  mkdirSync(inFolder('data-2'), { mode: 0o700 });
  const feed = { record: 'feed', domain: 'acme', kind: 'TASK', unit: 'Berlin' };
  const records = [
    { record: 'domain', name: 'acme' },
    { record: 'unit', domain: 'acme', name: 'Berlin' },
    { record: 'user', domain: 'acme', login: 'ana', unit: 'Berlin' },
    { ...feed, feed_key: 1, feed_title: 'Sweep 1' },
    { ...feed, feed_key: 2, feed_title: 'Sweep 2' },
  ];
  await importRecords(here.services, asLines(records), { name: 'test' });
  await storeImages(here.services, 'acme', [image]);
  token = (await createSession(here.services, 'ana')).token;
  const people = [
    { record: 'domain', name: 'other' },
    { record: 'user', domain: 'other', login: 'ana' },
  ];
  writeFileSync(inFolder('other.ndjson'), people.map((one) => JSON.stringify(one)).join('\n'));
  writeFileSync(inFolder('none.tar'), 'hello');
}, GENEROUS);
afterAll(async () => {
  await here.gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

test(
  'export writes a private file and leaves nothing else; what it can not do is told',
  async () => {
    expect(await atHome('export --domain acme acme.tar --json')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^\{"file":"acme.tar","id":"[-\w]{36}","rows":\d+,"files":1,"missing":\[\]\}\n$/,
      ),
      stderr: '',
    });
    expect(statSync(inFolder('acme.tar')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('acme.tar'))).toEqual(['acme.tar']);
    const left = readdirSync(inFolder('data-1')).filter((name) => name.startsWith('command-'));
    expect(left).toEqual([]);
    expect(await atHome('export --domain acme acme.tar')).toMatchObject(
      refused('acme.tar exists: choose another name'),
    );
    expect(await atHome('export --domain acme --lock none/x.tar')).toMatchObject(
      refused("none/x.tar can't be written: no such folder"),
    );
    expect(await atHome('export --domain nobody x.tar')).toMatchObject(
      refused('no domain "nobody"'),
    );
    expect(await atHome('export --domain acme')).toMatchObject(
      refused(/missing required argument 'file'/),
    );
    expect(await atHome('export --domain acme --since none.tar x.tar')).toMatchObject(
      refused('none.tar: it is no export of a domain', 3),
    );
    expect(readdirSync(folder)).not.toContain('x.tar');
    // Another one to the same path, whether a gateway makes its file or it does so itself.
    const release = lockFolder(inFolder('two.tar.partial'));
    expect(await atHome('export --domain acme two.tar')).toMatchObject(
      refused(`another process writes ${inFolder('two.tar')}`),
    );
    release();
    expect(await atHome('export --domain acme two.tar')).toMatchObject({ status: 0 });
    expect(readdirSync(folder).filter((name) => name.startsWith('two'))).toEqual(['two.tar']);
  },
  GENEROUS,
);

test(
  'an export without images that the storage does not have is whole, and fails',
  async () => {
    const blobs = inFolder('data-1/blobs/objects');
    renameSync(blobs, inFolder('aside'));
    const lacking = (file: string, rest = '') =>
      `${file} is without 1 files that the storage does not have: see whether STORAGE and DATA_DIR are those of the gateways, before acme is deleted${rest}\n`;
    expect(await atHome('export --domain acme lacking.tar')).toEqual({
      status: 1,
      stdout: expect.stringMatching(
        /^lacking\.tar: \d+ rows, 0 files, 1 files that the storage has lost\n$/,
      ),
      stderr: lacking('lacking.tar'),
    });
    expect(await atHome('export --domain acme --lock lacking-too.tar')).toMatchObject({
      status: 1,
      stderr: lacking('lacking-too.tar', '; it stays locked'),
    });
    expect((await atHome('list')).stdout).toMatch(/acme +LOCKED/);
    expect(await atHome('unlock --domain acme')).toMatchObject({ status: 0 });
    renameSync(inFolder('aside'), blobs);
    expect(await away('import lacking.tar')).toEqual({
      status: 1,
      stdout: expect.stringMatching(
        /^acme: \d+ rows, 0 files, 1 files that the storage has lost; it is open\n$/,
      ),
      stderr:
        'lacking.tar is without 1 files that the storage did not have where it was made: see whether STORAGE and DATA_DIR were those of the gateways there, before acme is deleted there\n',
    });
    expect(await away('delete --domain acme --yes')).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^acme: deleted \d+ rows and 0 files\n$/),
      stderr:
        '1 files of acme were not in the storage: they are left elsewhere if STORAGE and DATA_DIR are not those of the gateways\n',
    });
  },
  GENEROUS,
);

test(
  'lock lets the gateway refuse writes until unlock, and both know which domains there are',
  async () => {
    const write = async (): Promise<number> => {
      const { status } = await fetch(`${here.gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': token },
        body: JSON.stringify({
          query: 'mutation { setFeedState(input: { feedIds: [], pinned: true }) { __typename } }',
        }),
      });
      return status;
    };
    expect(await atHome('lock --domain nobody')).toMatchObject(refused('no domain "nobody"'));
    expect(await atHome('lock --domain acme')).toMatchObject({
      status: 0,
      stdout: 'acme refuses writes until `domain unlock`\n',
    });
    expect(await write()).toBe(503);
    expect(await atHome('unlock --domain acme')).toMatchObject({
      status: 0,
      stdout: 'acme takes writes\n',
    });
    expect(await write()).not.toBe(503);
  },
  GENEROUS,
);

test(
  'an export that fails leaves its domain as it was, and tells why it failed',
  async () => {
    const failing = 'export --domain acme --lock --since none.tar x.tar';
    const why = 'none.tar: it is no export of a domain';
    const state = async (): Promise<string | undefined> =>
      /"state":"(\w+)"/.exec((await atHome('list --json')).stdout)?.[1];
    expect(await atHome(failing)).toMatchObject(refused(why, 3));
    expect(await state()).toBe('OPEN');
    await atHome('lock --domain acme');
    expect(await atHome(failing)).toMatchObject(refused(why, 3));
    expect(await state()).toBe('LOCKED');
    await atHome('unlock --domain acme');
    const { pool } = here.services.db;
    await pool.query(`ALTER TABLE domain ADD CONSTRAINT stuck CHECK (state <> 'OPEN') NOT VALID`);
    expect(await atHome(failing)).toMatchObject(
      refused(new RegExp(`^acme stays locked: .*\n${why}\n$`), 3),
    );
    expect(await state()).toBe('LOCKED');
    await pool.query('ALTER TABLE domain DROP CONSTRAINT stuck');
    await atHome('unlock --domain acme');
  },
  GENEROUS,
);

test(
  'import refuses what can not come, says why, and stores nothing of it',
  async () => {
    const bytes = readFileSync(inFolder('acme.tar'));
    writeFileSync(inFolder('cut.tar'), bytes.subarray(0, bytes.length - 3_000));
    const changed = Buffer.from(bytes);
    changed.write('Bremen', changed.indexOf('Berlin', changed.indexOf('rows/unit/')));
    writeFileSync(inFolder('damaged.tar'), changed);
    const [cut, damaged] = [
      refused('cut.tar: its end is missing: it was cut off', 3),
      refused('damaged.tar: its SHA-256 is not what it should be: it was changed', 3),
    ];
    expect(await away('import cut.tar')).toMatchObject(cut);
    expect(await away('import damaged.tar')).toMatchObject(damaged);
    expect(await away('import none.tar')).toMatchObject(
      refused('none.tar: it is no export of a domain', 3),
    );
    expect(await away('import nowhere.tar')).toMatchObject(
      refused('nowhere.tar: no such file or folder (ENOENT)'),
    );
    // Images of what could come another time stay for it; of a damaged file nothing does.
    expect(storedThere()).toEqual([]);
    expect(await run(thereEnv, 'import other.ndjson')).toMatchObject({ status: 0 });
    expect(await away('import acme.tar')).toMatchObject(
      refused(
        'a row of user with the login (ana) is here already, in another domain: it has to be another one here or there',
      ),
    );
    // Beside a gateway: the same words, though it reads a copy of another name.
    expect(await atHome('import none.tar')).toMatchObject(
      refused('none.tar: it is no export of a domain', 3),
    );
    expect(await atHome('import acme.tar')).toMatchObject(
      refused('the domain "acme" is here already'),
    );
    expect((await away('list --json')).stdout).toMatch(/^\{"id":\d+,"name":"other",.*\}\n$/);
  },
  GENEROUS,
);

test(
  'delete asks, leaves no row and no byte, and what was imported elsewhere lives on',
  async () => {
    expect(await away('delete --domain other')).toMatchObject(
      refused('this deletes all of "other" for good: add --yes'),
    );
    expect(await away('delete --domain other --yes')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^other: deleted \d+ rows and 0 files\n$/),
    });
    expect(await away('import acme.tar')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^acme: \d+ rows, 0 files; it is open\n$/),
    });
    expect(await atHome('delete --domain nobody --yes')).toMatchObject(
      refused('no domain "nobody"'),
    );
    expect(await atHome('delete --domain acme')).toMatchObject(
      refused('this deletes all of "acme" for good: add --yes'),
    );
    expect(await pageOf(here)).toEqual([200, ['Sweep 1', 'Sweep 2']]);
    expect(await atHome('delete --domain acme --yes')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^acme: deleted \d+ rows and 1 files\n$/),
    });
    expect(await leftOfDomains(here.services)).toEqual({ tables: [], files: [] });
    expect((await pageOf(here))[0]).toBe(401);
    const there = await startOn(thereEnv);
    try {
      expect(await pageOf(there)).toEqual([200, ['Sweep 1', 'Sweep 2']]);
      const { storageKey } = await there.services.db.prisma.blob.findFirstOrThrow();
      const hash = createHash('sha256');
      for await (const piece of there.services.storage.get(storageKey)) hash.update(piece);
      expect(storageKey).toContain(hash.digest('hex'));
    } finally {
      await there.gateway.close();
    }
  },
  GENEROUS,
);
