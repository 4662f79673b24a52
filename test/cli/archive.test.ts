import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encrypt, exportKey, makeKey, proveImage } from '../../src/sdk/e2ee.ts';
import { makeSigner, signFiles, type SignedFile } from '../support/archives.ts';
import { cliProgram, triviumSync, type Ended } from '../support/trivium.ts';
import { makeZip } from '../support/zip.ts';

const workspaceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const signer = makeSigner();
const known = ['--public-key', signer.publicKey];
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-archive-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const trivium = (args: string[], env: Record<string, string> = {}): Ended =>
  triviumSync(['archive', ...args], { cwd: folder, env });

const write = (name: string, files: SignedFile[]): void =>
  writeFileSync(join(folder, name), makeZip(signFiles(files, signer, workspaceId)));
const plain = (name: string, text: string): SignedFile => ({ name, bytes: Buffer.from(text) });

test('verify says that all is right, or which file is not', () => {
  write('right.zip', [plain('a.txt', 'a'), plain('b/c.txt', 'c')]);
  expect(trivium(['verify', 'right.zip', ...known])).toEqual({
    status: 0,
    stdout: `right.zip: 2 files as they were exported, signed by ${signer.publicKey}\n`,
    stderr: '',
  });
  const files = signFiles([plain('a.txt', 'a'), plain('b/c.txt', 'c')], signer);
  const swapped = files.map((file, at) => ({
    ...file,
    bytes: files[[1, 0, 2, 3][at] ?? 0]?.bytes ?? file.bytes,
  }));
  writeFileSync(join(folder, 'wrong.zip'), makeZip(swapped));
  const words = trivium(['verify', 'wrong.zip', ...known]);
  expect(words).toEqual({
    status: 3,
    stdout: '',
    stderr:
      'wrong.zip: a.txt: SWAPPED: it has the bytes of b/c.txt\nwrong.zip: b/c.txt: SWAPPED: it has the bytes of a.txt\nwrong.zip: 2 faults; 2 files were read\n',
  });
  const { error } = JSON.parse(trivium(['verify', 'wrong.zip', ...known, '--json']).stderr);
  expect(error).toMatchObject({
    exitCode: 3,
    total: 2,
    problems: [{ kind: 'SWAPPED', path: 'a.txt', contentOf: 'b/c.txt' }, { path: 'b/c.txt' }],
  });
});

test('verify wants to know who is to have signed, a file that is there, and an archive', () => {
  expect(trivium(['verify', 'right.zip'])).toMatchObject({ status: 2 });
  expect(trivium(['verify', 'right.zip', '--any-signer'])).toMatchObject({ status: 0 });
  expect(trivium(['verify', 'right.zip', '--public-key', makeSigner().publicKey])).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('OTHER_SIGNER'),
  });
  for (const mistyped of ['', 'x', signer.publicKey.slice(0, -2), `${signer.publicKey}\n`])
    expect(trivium(['verify', 'right.zip', '--public-key', mistyped])).toEqual({
      status: 2,
      stdout: '',
      stderr: `--public-key: ${JSON.stringify(mistyped)} is no public key, which has 44 characters of base64\n`,
    });
  expect(trivium(['verify', 'none.zip', ...known])).toMatchObject({ status: 2 });
  const aFolder = { status: 2, stdout: '', stderr: '. is a folder\n' };
  expect(trivium(['verify', '.', ...known])).toEqual(aFolder);
  expect(trivium(['verify', 'right.zip', ...known, '--key-file', '.'])).toEqual(aFolder);
  writeFileSync(join(folder, 'text.zip'), 'no archive');
  expect(trivium(['verify', 'text.zip', ...known])).toMatchObject({ status: 3, stdout: '' });
});

test('open decrypts with the key of a file or of the environment, and writes only what is right', async () => {
  const key = await makeKey();
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const image = async (text: string): Promise<SignedFile> => {
    const bytes = await encrypt(key, Buffer.from(text));
    const place = { workspaceId, imageId: `image ${text}`, thumbnailSha256: sha256(bytes) };
    const proof = await proveImage(key, { ...place, sha256: sha256(bytes) });
    const encrypted = { image: place.imageId, key: 1, thumbnail: place.thumbnailSha256, proof };
    return { name: `images/${text}.jpg.enc`, bytes, encrypted };
  };
  const files = [await image('a'), await image('b'), plain('project.json', '{}')];
  write('encrypted.zip', files);
  const hex = Buffer.from(await exportKey(key)).toString('hex');
  writeFileSync(join(folder, 'key'), `${hex}\n`);
  expect(trivium(['open', 'encrypted.zip', '--out', 'none', ...known])).toMatchObject({
    status: 2,
  });
  const byFile = ['open', 'encrypted.zip', '--out', 'one', ...known, '--key-file', 'key', '--json'];
  const done = trivium(byFile);
  expect([done.status, done.stderr]).toEqual([0, '']);
  expect(JSON.parse(done.stdout)).toMatchObject({ files: 3, folder: 'one', unproven: 0 });
  expect(readFileSync(join(folder, 'one/images/a.jpg'), 'utf8')).toBe('a');
  expect(trivium(byFile)).toMatchObject({ status: 2 });
  const byVariable = ['open', 'encrypted.zip', '--out', 'two', ...known];
  expect(trivium(byVariable, { TRIVIUM_WORKSPACE_KEY: hex })).toMatchObject({ status: 0 });
  const wrong = trivium(['open', 'encrypted.zip', '--out', 'three', ...known], {
    TRIVIUM_WORKSPACE_KEY: '0'.repeat(64),
  });
  expect(wrong).toMatchObject({ status: 3, stderr: expect.stringContaining('NO_KEY') });
  expect(readdirSync(join(folder, 'three'), { recursive: true }).sort()).toEqual([
    'images',
    'project.json',
  ]);
  expect(wrong.stderr).not.toContain('0000');
  const unusable = trivium(byVariable, { TRIVIUM_WORKSPACE_KEY: 'secret' });
  expect(unusable).toMatchObject({ status: 2 });
  expect(unusable.stderr).not.toContain('secret');
});

test('open needs no key for a plain export, whatever its images are called', () => {
  const names = ['photo.enc', `${'n'.repeat(251)}.jpg`];
  write('plain.zip', [
    ...names.map((name) => plain(`images/dataset/${name}`, name)),
    plain('project.json', '{}'),
  ]);
  expect(trivium(['open', 'plain.zip', '--out', 'plain', ...known])).toMatchObject({ status: 0 });
  for (const name of names)
    expect(readFileSync(join(folder, 'plain/images/dataset', name), 'utf8')).toBe(name);
});

test.each(['../out.txt', '/out.txt', 'a/../../out.txt', 'a\\..\\out.txt', 'C:out.txt', 'a//b'])(
  'open writes nothing outside of the folder: %s',
  (name) => {
    const out = `slip-${name.replace(/\W/g, '_')}`;
    mkdirSync(join(folder, 'slips'), { recursive: true });
    write('slip.zip', [plain(name, 'x'), plain('good.txt', 'good')]);
    const { status, stderr } = trivium(['open', 'slip.zip', '--out', `slips/${out}`, ...known]);
    expect([status, stderr.split('\n').length]).toEqual([3, 3]);
    expect(readdirSync(join(folder, 'slips', out))).toEqual(['good.txt']);
    expect(existsSync(join(folder, 'slips/out.txt'))).toBe(false);
  },
);

test('open writes nothing of an archive that somebody else signed', () => {
  const arguments_ = [
    'open',
    'right.zip',
    '--out',
    'unsigned',
    '--public-key',
    makeSigner().publicKey,
  ];
  expect(trivium(arguments_)).toMatchObject({ status: 3 });
  expect(existsSync(join(folder, 'unsigned'))).toBe(false);
});

test('what is no archive is named', () => {
  expect(trivium(['verify', '/dev/null', ...known])).toMatchObject({
    status: 2,
    stderr: '/dev/null is no file\n',
  });
  writeFileSync(join(folder, 'no.zip'), 'no archive');
  expect(trivium(['verify', 'no.zip', ...known])).toMatchObject({
    status: 3,
    stderr: 'no.zip: this is no ZIP archive, or its end is missing\n',
  });
});

const size = 100 * 1024 * 1024;

/** large.zip, with three files of this size. */
beforeAll(() => {
  const digest = createHash('sha256');
  for (let done = 0; done < size; done += 1024 * 1024) digest.update(Buffer.alloc(1024 * 1024));
  const sha256 = digest.digest('hex');
  const list = ['a', 'b', 'c'].map((path) => ({ path, size, sha256 }));
  const manifest = Buffer.from(
    JSON.stringify({ format: 'trivium-archive-1', workspaceId, files: list }),
  );
  // The bytes of the large files are a hole in the archive's file.
  const file = openSync(join(folder, 'large.zip'), 'w');
  const ends: Buffer[] = [];
  let at = 0;
  const add = (name: string, bytes: Buffer | undefined): void => {
    const small = makeZip([{ name, bytes: bytes ?? Buffer.alloc(0) }]);
    const length = bytes?.length ?? size;
    const [head, from] = [30 + name.length, 30 + name.length + (bytes?.length ?? 0)];
    const local = Buffer.from(small.subarray(0, head));
    const central = Buffer.from(small.subarray(from, small.length - 22));
    for (const [record, place] of [
      [local, 18],
      [local, 22],
      [central, 20],
      [central, 24],
    ] as const)
      record.writeUInt32LE(length, place);
    central.writeUInt32LE(at, 42);
    writeSync(file, bytes ? Buffer.concat([local, bytes]) : local, 0, undefined, at);
    ends.push(central);
    at += head + length;
  };
  for (const { path } of list) add(path, undefined);
  add('manifest.json', manifest);
  add('manifest.sig', signer.sign(manifest));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(ends.length, 10);
  const directory = Buffer.concat(ends);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  ftruncateSync(file, at);
  writeSync(file, Buffer.concat([directory, end]), 0, undefined, at);
  closeSync(file);
});

test('300 MB are verified with a heap of 64 MB', () => {
  const found = trivium(['verify', 'large.zip', ...known, '--json'], {
    NODE_OPTIONS: '--max-old-space-size=64',
  });
  expect([found.status, found.stderr]).toEqual([0, '']);
  expect(JSON.parse(found.stdout)).toMatchObject({ files: 3, bytes: 3 * size });
}, 60_000);

test('open that is stopped, or finds the disk full, leaves no part of a file', async () => {
  const arguments_ = ['archive', 'open', 'large.zip', ...known, '--out'];
  const names = (out: string): string[] =>
    existsSync(join(folder, out)) ? readdirSync(join(folder, out)) : [];
  const isPart = (name: string): boolean => name.endsWith('.part');
  // Once more where it was at its end before the signal came.
  for (let [run, signal] = [0, null as unknown]; signal === null; run++) {
    const out = `stopped-${run}`;
    const child = spawn(process.execPath, [cliProgram, ...arguments_, out], {
      cwd: folder,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await vi.waitFor(() => expect(names(out).some(isPart) || child.exitCode !== null).toBe(true), {
      timeout: 60_000,
      interval: 2,
    });
    child.kill('SIGTERM');
    let code: unknown;
    [code, signal] = (await ended) as unknown[];
    expect([code ?? 0, names(out).filter(isPart)]).toEqual([0, []]);
    rmSync(join(folder, out), { recursive: true, force: true });
  }
  const full = triviumSync([...arguments_, 'full'], { cwd: folder, env: {}, limit: 2_000 });
  expect([full, names('full')]).toEqual([
    { status: 1, stdout: '', stderr: 'no space for full/a: nothing of it was kept\n' },
    [],
  ]);
}, 60_000);
