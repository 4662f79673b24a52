import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import {
  DamagedDomainFileError,
  END,
  endSchema,
  HEADER,
  headerSchema,
  readPart,
  type DomainFileEnd,
  type DomainFileHeader,
} from './archive/domain-file.ts';
import { readTar, readWhole, type TarEntry } from './archive/tar-reader.ts';

/** What an export says of itself. */
export interface DomainFileEnds {
  header: DomainFileHeader;
  end: DomainFileEnd;
}

/**
 * Reads how an export begins and ends, and names what is between to `onEntry`. With a `hash` all of it is read, and compared
 * with the SHA-256 that it says; without, contents are passed over. Throws DamagedDomainFileError where it is no export, is cut
 * off or was changed.
 */
export async function readEnds(
  file: FileHandle,
  { hash, onEntry }: { hash?: Hash; onEntry: (entry: TarEntry) => void },
): Promise<DomainFileEnds> {
  let header: DomainFileHeader | undefined;
  for await (const entry of readTar(file, { hash })) {
    onEntry(entry);
    if (entry.start === 0 && entry.name === HEADER)
      header = readPart(headerSchema, await readWhole(entry), HEADER);
    if (!header) break;
    if (entry.name === END)
      return { header, end: await readEnd(entry, { isHashed: hash !== undefined }) };
  }
  throw header ? cutOff() : new DamagedDomainFileError('it is no export of a domain');
}

/** Reads the last entry. Throws DamagedDomainFileError where what stands before it `isHashed` and is not what was written. */
export async function readEnd(
  entry: TarEntry | undefined,
  { isHashed }: { isHashed: boolean },
): Promise<DomainFileEnd> {
  if (entry === undefined) throw cutOff();
  const digest = entry.before().digest('hex');
  const end = readPart(endSchema, await readWhole(entry), END);
  if (isHashed && end.sha256 !== digest)
    throw new DamagedDomainFileError('its SHA-256 is not what it should be: it was changed');
  return end;
}

const cutOff = (): DamagedDomainFileError =>
  new DamagedDomainFileError('its end is missing: it was cut off');
