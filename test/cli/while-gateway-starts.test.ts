import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import { isMarked, mark, unmark } from '../../src/server/control/gateway-mark.ts';
import { startGateway } from '../../src/server/start.ts';
import { startBeside } from '../support/folder-gateway.ts';
import { cliProgram, trivium, type Ended } from '../support/trivium.ts';

const GENEROUS = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-starts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command until it says that it waits; `ended` resolves once it has ended. */
async function startCommand(
  dataDir: string,
  ...args: string[]
): Promise<{ ended: Promise<Ended> }> {
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir };
  const child = spawn(process.execPath, [cliProgram, ...args], { cwd: folder, env });
  const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, 'exit')];
  const ended = exit.then(async ([status]) => ({
    status: status as number | null,
    stdout: await stdout,
    stderr: await stderr,
  }));
  await Promise.race([once(child.stderr, 'data'), ended]);
  return { ended };
}

const waited = (dataDir: string): string =>
  `waiting for the gateway on ${dataDir}, which starts or stops\n`;

test(
  'a command that is given while a gateway starts is done by it',
  async () => {
    const dataDir = join(folder, 'starts');
    let command: { ended: Promise<Ended> } | undefined;
    const gateway = await startGateway(
      readConfig({ PORT: '0', DEMO: 'false', LOG_LEVEL: 'silent', DATA_DIR: dataDir }),
      {
        idleMs: 0,
        // The gateway holds the folder, and looks at its storage before it serves.
        onServices: ({ storage }) =>
          (storage.check = async () => {
            command = await startCommand(dataDir, 'domain', 'list');
          }),
      },
    );
    try {
      expect(await command?.ended).toMatchObject({ status: 0, stderr: waited(dataDir) });
      expect(isMarked(dataDir)).toBe(false);
    } finally {
      await gateway.close();
    }
    expect(isMarked(dataDir)).toBe(false);
  },
  GENEROUS,
);

test(
  'a gateway waits for the command that has its folder, and later commands for the gateway',
  async () => {
    const dataDir = join(folder, 'queue');
    const release = lockFolder(dataDir);
    const starting = startBeside({ DATA_DIR: dataDir });
    const command = await startCommand(dataDir, 'domain', 'list');
    release();
    const { gateway } = await starting;
    expect(await command.ended).toMatchObject({ status: 0, stderr: waited(dataDir) });
    await gateway.close();
  },
  GENEROUS,
);

test(
  'a command that is given while a gateway stops is done once it is gone',
  async () => {
    const dataDir = join(folder, 'stops');
    const release = lockFolder(dataDir);
    mark(dataDir);
    const command = await startCommand(dataDir, 'migrate');
    release();
    unmark(dataDir);
    expect(await command.ended).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('The database is at migration'),
      stderr: expect.stringContaining(waited(dataDir)),
    });
  },
  GENEROUS,
);

test(
  'nothing waits for a gateway that was killed while it started, nor for another command',
  async () => {
    const dataDir = join(folder, 'killed');
    const release = lockFolder(dataDir);
    try {
      const { pid } = spawnSync(process.execPath, ['--version']);
      writeFileSync(join(dataDir, `control.wait.${pid}`), `${pid} 1\n`);
      const { status, stderr } = await trivium(['migrate'], {
        cwd: folder,
        env: { DATA_DIR: dataDir },
      });
      expect([status, stderr]).toEqual([
        4,
        expect.stringMatching(/^.* is in use by process \d+\. /),
      ]);
    } finally {
      release();
    }
  },
  GENEROUS,
);

test(
  'a gateway is closed, though it can not tell commands to wait',
  async () => {
    const dataDir = join(folder, 'full');
    const { gateway } = await startBeside({ DATA_DIR: dataDir });
    mkdirSync(join(dataDir, `control.wait.${process.pid}`));
    await gateway.close();
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  },
  GENEROUS,
);

test(
  'a lock that belongs to nobody, and can not be taken over, is not waited for',
  async () => {
    const dataDir = join(folder, 'nobody');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'lock'), 'x');
    await expect(startBeside({ DATA_DIR: dataDir })).rejects.toThrow(/can't be taken over/);
  },
  GENEROUS,
);

/** Another container, as a number of a process means another one there. */
const elsewhere = ['unshare', '--pid', '--fork', '--mount-proc'] as const;
const canGoElsewhere = spawnSync(elsewhere[0], [...elsewhere.slice(1), 'true']).status === 0;

test.runIf(canGoElsewhere)(
  'a folder is not taken from a process of another container',
  () => {
    const dataDir = join(folder, 'shared');
    const release = lockFolder(dataDir);
    try {
      const { status, stderr } = spawnSync(
        elsewhere[0],
        [...elsewhere.slice(1), process.execPath, cliProgram, 'migrate'],
        {
          cwd: folder,
          env: { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir },
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([
        4,
        expect.stringContaining(
          `${dataDir} is in use by process ${process.pid} of another container or machine. `,
        ),
      ]);
    } finally {
      release();
    }
  },
  GENEROUS,
);

test(
  'a folder whose process was killed in another container can be taken a minute after its last touch',
  async () => {
    const dataDir = join(folder, 'moved');
    const lock = join(dataDir, 'lock');
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(lock, '1 1 0123456789abcdef\n');
    // A command would wait for half a minute.
    expect(() => lockFolder(dataDir)).toThrow(/ If it was killed, try again in \d+ s\.$/);
    const before = new Date(Date.now() - 60_000);
    utimesSync(lock, before, before);
    expect(await trivium(['migrate'], { cwd: folder, env: { DATA_DIR: dataDir } })).toMatchObject({
      status: 0,
    });
  },
  GENEROUS,
);

test('whoever holds a folder touches its lock, and writes no more where it was taken', () => {
  vi.useFakeTimers();
  try {
    const dataDir = join(folder, 'touched');
    const lock = join(dataDir, 'lock');
    const release = lockFolder(dataDir);
    utimesSync(lock, 0, 0);
    vi.advanceTimersByTime(5_000);
    expect(statSync(lock).mtimeMs).toBeGreaterThan(0);
    writeFileSync(lock, '1 1 0123456789abcdef\n');
    expect(() => vi.advanceTimersByTime(5_000)).toThrow('was taken over by another process');
    release();
    expect(existsSync(lock)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
