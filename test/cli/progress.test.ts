import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cliProgram } from '../support/trivium.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-progress-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [HIDE, SHOW] = ['\x1b[?25l', '\x1b[?25h'];
/** Lets the command take its stderr for a terminal. */
const TERMINAL = ['--import', 'data:text/javascript,process.stderr.isTTY = true'];

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a terminal whose command is ended by %s gets its cursor back',
  async (signal) => {
    // It waits for its standard input.
    const child = spawn(process.execPath, [...TERMINAL, cliProgram, 'import', '-'], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, signal) },
    });
    let said = '';
    child.stderr.on('data', (piece) => {
      said += String(piece);
      // Often more than once: the first is enough, and the others do no harm.
      if (said.includes(HIDE)) child.kill(signal);
    });
    expect(await once(child, 'close')).toEqual([null, signal]);
    expect(said.lastIndexOf(SHOW)).toBeGreaterThan(said.lastIndexOf(HIDE));
  },
  60_000,
);
