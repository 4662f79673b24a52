import { existsSync } from 'node:fs';
import { askPerson, type Terminal } from './ask-person.ts';
import { UsageError } from './usage-error.ts';

/** Asks before a file is overwritten; throws UsageError where the answer is no, or nobody can be asked. */
export async function refuseOverwrite(file: string, terminal?: Terminal): Promise<void> {
  if (!existsSync(file)) return;
  const answer = await askPerson(`${file} exists. Overwrite it? [y/N] `, terminal);
  if (answer === undefined)
    throw new UsageError(`${file} exists: choose another name, or add --force to overwrite it`);
  if (!/^y(es)?$/i.test(answer)) throw new UsageError(`${file} was not overwritten`);
}
