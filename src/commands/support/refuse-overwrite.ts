import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.ts';

/** Where a person can be asked: both must be terminals. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Asks before a file is overwritten; throws UsageError where the answer is no, or nobody can be asked. */
export async function refuseOverwrite(
  file: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (!existsSync(file)) return;
  if (!input.isTTY || !output.isTTY)
    throw new UsageError(`${file} exists: choose another name, or add --force to overwrite it`);
  const terminal = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([
    terminal.question(`${file} exists. Overwrite it? [y/N] `),
    ended,
  ]);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError(`${file} was not overwritten`);
}
