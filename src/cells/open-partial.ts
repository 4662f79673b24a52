import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rmdir, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  contentOf,
  DamagedDomainFileError,
  HEADER,
  headerSchema,
  keyOf,
  readPart,
  type DomainFileHeader,
} from './archive/domain-file.ts';
import { lockPartial } from '../storage/open-partial.ts';
import { syncFolder } from '../storage/sync-folders.ts';
import { refused } from './find-domain.ts';
import { readTar, readWhole, type TarEntry } from './archive/tar-reader.ts';
import { TarWriter } from './archive/tar-writer.ts';

/** A file that is being written. */
export interface PartialFile {
  writer: TarWriter;
  header: DomainFileHeader;
  /** Keys of the files of the storage that it holds. */
  kept: Set<string>;
  /** Gives it its name. */
  finish(): Promise<void>;
  /** What is written stays, for the next attempt. */
  leave(): Promise<void>;
}

/**
 * Begins a file, in the folder `<file>.partial` until it is whole; or goes on with one that was left there, keeping the
 * files of the storage that it has. Throws where another process writes the same.
 */
export async function openPartial(file: string, wanted: DomainFileHeader): Promise<PartialFile> {
  const folder = `${file}.partial`;
  const release = lockPartial(folder, () => refused(`another process writes ${file}`));
  const remove = async (): Promise<void> => {
    release();
    // It is not empty where another process has taken it meanwhile.
    await rmdir(folder).catch(() => undefined);
  };
  // Not before: another process may just have given it its name.
  if (existsSync(file)) {
    await remove();
    throw refused(`${file} exists: choose another name`);
  }
  const path = join(folder, 'data');
  const handle = await open(path, existsSync(path) ? 'r+' : 'wx+', 0o600).catch(
    (error: unknown) => {
      release();
      throw error;
    },
  );
  try {
    const found = await readPartial(handle, wanted);
    const { header = wanted, kept, position, hash } = found;
    // What an attempt before wrote behind it could pass for the end of what comes now.
    await handle.truncate(position);
    const writer = new TarWriter(handle, { position, hash });
    if (!found.header) await writer.write(HEADER, Buffer.from(JSON.stringify(header)));
    return {
      writer,
      header,
      kept,
      async finish() {
        await writer.end();
        await handle.close();
        await rename(path, file);
        await remove();
        await syncFolder(dirname(file));
      },
      async leave() {
        await handle.close();
        release();
      },
    };
  } catch (error) {
    await handle.close();
    release();
    throw error;
  }
}

interface FoundPartial {
  header: DomainFileHeader | undefined;
  kept: Set<string>;
  position: number;
  hash: Hash;
}

/** What can be kept of a file that was left: its header, and the files after it, up to the first that is not whole. */
async function readPartial(handle: FileHandle, wanted: DomainFileHeader): Promise<FoundPartial> {
  const kept = new Set<string>();
  const hash = createHash('sha256');
  let header: DomainFileHeader | undefined;
  let position = 0;
  for await (const entry of readTar(handle, { hash })) {
    const key = keyOf(entry.name);
    if (entry.start === 0) header = await readHeader(entry, wanted);
    const keeps = entry.start === 0 ? header : key !== undefined && (await isWhole(entry, key));
    if (!keeps) return { header, kept, position, hash: entry.before() };
    if (key !== undefined) kept.add(key);
    position = entry.next;
  }
  return { header, kept, position, hash };
}

/** The header, if it is that of the same export. */
async function readHeader(
  entry: TarEntry,
  wanted: DomainFileHeader,
): Promise<DomainFileHeader | undefined> {
  if (entry.name !== HEADER) return undefined;
  try {
    const read = readPart(headerSchema, await readWhole(entry), HEADER);
    return isSame(read, wanted) ? read : undefined;
  } catch (error) {
    if (error instanceof DamagedDomainFileError) return undefined;
    throw error;
  }
}

/** Is the content what its key says? */
async function isWhole(entry: TarEntry, key: string): Promise<boolean> {
  const expected = contentOf(key);
  const hash = createHash('sha256');
  for await (const piece of entry.bytes()) hash.update(piece);
  return expected === undefined || hash.digest('hex') === expected;
}

function isSame(found: DomainFileHeader, wanted: DomainFileHeader): boolean {
  return JSON.stringify({ ...found, id: '' }) === JSON.stringify({ ...wanted, id: '' });
}
