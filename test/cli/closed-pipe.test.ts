import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBeside } from '../support/folder-gateway.ts';
import { cliProgram } from '../support/trivium.ts';

test('audit export reads no more of the log once its reader has closed the pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-pipe-'));
  const env = { DATA_DIR: join(folder, 'data') };
  const { gateway, services } = await startBeside(env);
  // Five times what is read at once.
  await services.db.pool.query(
    `INSERT INTO audit_log (actor, action, at) SELECT 'operator', 'test', now() FROM generate_series(1, 100000)`,
  );
  let asked = 0;
  const count = (message: unknown): void => {
    if ((message as { request: IncomingMessage }).request.url?.endsWith('/auditLog')) asked++;
  };
  subscribe('http.server.request.start', count);
  try {
    const command = spawn(process.execPath, [cliProgram, 'audit', 'export'], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: '', ...env },
    });
    command.stdout.once('data', () => command.stdout.destroy());
    expect(await once(command, 'exit')).toEqual([0, null]);
    // One may have been asked for already when the pipe is closed.
    expect(asked).toBeLessThan(3);
  } finally {
    unsubscribe('http.server.request.start', count);
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
