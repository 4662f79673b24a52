import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
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
