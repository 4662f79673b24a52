import { createInterface } from 'node:readline/promises';
import type { Terminal } from '../support/refuse-overwrite.ts';
import { UsageError } from '../support/usage-error.ts';

/** Asks for the name of what is to be deleted; throws UsageError where another one is given, or nobody can be asked. */
export async function confirmName(
  name: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (!input.isTTY || !output.isTTY)
    throw new UsageError(`this deletes all of "${name}" for good: add --yes`);
  const terminal = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const question = `This deletes all of "${name}" for good. Type its name to go on: `;
  const answer = await Promise.race([terminal.question(question), ended]);
  terminal.close();
  if (answer.trim() !== name) throw new UsageError('nothing was deleted');
}
