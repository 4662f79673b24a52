import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { endProcesses, folder, GENEROUS, refused } from '../support/gateway-process.ts';
import { freePort } from '../support/free-port.ts';

endProcesses();

describe('a place to listen at that can not be had is told in one line, before anything is made', () => {
  const DATA_DIR = join(folder, 'unmade');
  // An address for documentation, which no machine has, and a name that never resolves.
  test.each([
    ['HOST', { HOST: '203.0.113.7' }],
    ['HOST', { HOST: 'nowhere.invalid' }],
    ['METRICS_HOST', { METRICS_PORT: '0', METRICS_HOST: '203.0.113.7' }],
  ])(
    '%s: %o',
    (name, env: Record<string, string>) => {
      expect(refused({ ...env, DATA_DIR })).toEqual(
        expect.objectContaining({
          status: 2,
          stdout: '',
          stderr: `${name}: expected an address of this machine, or a name that has one (is "${env[name] ?? ''}")\n`,
        }),
      );
      expect(existsSync(DATA_DIR)).toBe(false);
    },
    GENEROUS,
  );

  it(
    'a port that is taken, that of the metrics too',
    async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const address = holder.address();
      const taken = String(typeof address === 'object' ? address?.port : '');
      const free = String(await freePort());
      for (const [name, env] of [
        ['PORT', { PORT: taken }],
        ['METRICS_PORT', { METRICS_PORT: taken }],
        ['METRICS_PORT', { PORT: free, METRICS_PORT: free }],
      ] as [string, Record<string, string>][]) {
        expect(refused({ ...env, DATA_DIR })).toMatchObject({
          status: 1,
          stdout: '',
          stderr: `error: port ${env[name] ?? ''} of 127.0.0.1 is taken: stop the process that listens there, or choose another ${name}\n`,
        });
        expect(existsSync(DATA_DIR)).toBe(false);
      }
      holder.close();
    },
    GENEROUS,
  );
});
