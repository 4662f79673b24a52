import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endProcesses, folder, GENEROUS, start } from '../support/gateway-process.ts';

endProcesses();

/** Of a file system that is mounted read-only once a file exists: locks are touched, and removed, by these functions only. */
const readOnly = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
for (const name of ['utimesSync', 'rmSync']) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (String(path).endsWith('lock') && fs.existsSync(process.env.GONE))
      throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    return real(path, ...rest);
  };
}
syncBuiltinESMExports();`;

it(
  'a gateway whose embedded database can not be written any more says so and ends, for it would answer nothing',
  async () => {
    const GONE = join(folder, 'gone');
    const { child, exited } = await start({
      DEMO: 'false',
      GONE,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(readOnly)}`,
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)));
    writeFileSync(GONE, '');
    expect(await exited).toEqual({ code: 1, signal: null });
    expect(said).toContain(
      'error: the embedded database ended: its folder can not be written any more (EROFS)\n',
    );
  },
  GENEROUS,
);
