import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../core/files/make-folders.ts';
import { ArchiveFaultError, type ArchiveFault, type OpenedArchive } from '../../sdk/e2ee.ts';
import { UsageError } from './usage-error.ts';
import { writeWhole } from './write-whole.ts';

/**
 * Writes the files of an archive into a folder that is empty or made here, decrypted where there are keys. A file appears
 * only when it was found right; returns the faults of the others. Throws UsageError for a folder with something in it.
 */
export async function unpackArchive(
  archive: OpenedArchive,
  folder: string,
  onProgress: (files: number) => void,
): Promise<ArchiveFault[]> {
  await makeFolders(folder);
  if ((await readdir(folder)).length > 0)
    throw new UsageError(`${folder} is not empty: name another folder, or a new one`);
  const faults: ArchiveFault[] = [];
  let done = 0;
  for (const file of archive.files) {
    const { path, plainPath } = file;
    if (isHarmless(plainPath)) {
      const fault = await writeFile(join(folder, plainPath), file.read());
      if (fault) faults.push(fault);
    } else faults.push({ kind: 'ALTERED', path, message: 'its name leads out of the folder' });
    onProgress(++done);
  }
  return faults;
}

/** Writes a file whole, or not at all; returns what is wrong with it. */
async function writeFile(
  target: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ArchiveFault | undefined> {
  await makeFolders(dirname(target));
  try {
    await writeWhole(target, bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveFaultError) return error.fault;
    throw error;
  }
}

/** Whether a name stays below the folder on every system; Windows drops blanks and dots at the ends of names. */
function isHarmless(name: string): boolean {
  const parts = name.split('/');
  return !/[\\:\0]/.test(name) && parts.every((part) => !/^[. ]*$/.test(part));
}
