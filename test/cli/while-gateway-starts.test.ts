import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import { whileCommandsWait } from '../../src/server/control/commands-wait.ts';
import { startGateway } from '../../src/server/start.ts';
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
      expect(existsSync(join(dataDir, 'control.wait'))).toBe(false);
    } finally {
      await gateway.close();
    }
    expect(existsSync(join(dataDir, 'control.wait'))).toBe(false);
  },
  GENEROUS,
);

test(
  'a command that is given while a gateway stops is done once it is gone',
  async () => {
    const dataDir = join(folder, 'stops');
    const command = await whileCommandsWait(dataDir, async () => {
      const release = lockFolder(dataDir);
      const started = await startCommand(dataDir, 'migrate');
      release();
      return started;
    });
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
      writeFileSync(join(dataDir, 'control.wait'), `${pid} 1\n`);
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
