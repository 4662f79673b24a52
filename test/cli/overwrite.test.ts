import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { refuseOverwrite } from '../../src/commands/support/refuse-overwrite.ts';
import { UsageError } from '../../src/commands/support/usage-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-overwrite-'));
const file = join(folder, 'export.zip');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true }));

/** A terminal at which somebody types this, or ends the input. */
async function ask(typed: string | null, isTTY = true): Promise<string> {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.end(typed === null ? '' : `${typed}\n`);
  let shown = '';
  output.on('data', (chunk) => (shown += String(chunk)));
  await refuseOverwrite(file, { terminal: { input, output } });
  return shown;
}

test.each(['y', 'Y', 'yes'])('overwrites when the answer is %s', async (typed) => {
  expect(await ask(typed)).toContain('export.zip exists. Overwrite it? [y/N]');
});

test.each(['', 'n', 'yesterday', null])('keeps the file when the answer is %j', async (typed) => {
  await expect(ask(typed)).rejects.toThrow(new UsageError(`${file} was not overwritten`));
});

test('refuses where nobody can be asked', async () => {
  await expect(ask('y', false)).rejects.toThrow(/exists: .* --force/);
});

test('asks nothing for a new file', async () => {
  const silent = { input: new PassThrough(), output: new PassThrough() };
  await expect(
    refuseOverwrite(join(folder, 'new.zip'), { terminal: silent }),
  ).resolves.toBeUndefined();
});
