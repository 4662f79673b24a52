import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { requireFileName } from '../../storage/open-partial.ts';
import { askPerson, type Terminal } from './ask-person.ts';
import { UsageError } from './usage-error.ts';

/**
 * Asks before a file, or a link to one, is overwritten, unless forced. Throws UsageError where the answer is no, or nobody
 * can be asked, and for what is no file, such as a folder or a device.
 */
export async function refuseOverwrite(
  file: string,
  { force, terminal }: { force?: boolean | undefined; terminal?: Terminal } = {},
): Promise<void> {
  requireFileName(file);
  const link = await orNothing(lstat(file));
  if (!link) return;
  const found = link.isSymbolicLink() ? await orNothing(stat(file)) : link;
  if (found && !found.isFile())
    throw new UsageError(`${file} exists, and is no file: choose another name`);
  if (force) return;
  const answer = await askPerson(`${file} exists. Overwrite it? [y/N] `, terminal);
  if (answer === undefined)
    throw new UsageError(`${file} exists: choose another name, or add --force to overwrite it`);
  if (!/^y(es)?$/i.test(answer)) throw new UsageError(`${file} was not overwritten`);
}

const orNothing = (found: Promise<Stats>): Promise<Stats | undefined> =>
  found.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
