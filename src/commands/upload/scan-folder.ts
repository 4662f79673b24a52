import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** An image in a folder. */
export interface FoundImage {
  /** Relative to the folder, with slashes, in Unicode's form NFC: as the gateway keeps it. */
  path: string;
  /** Where it is here. */
  file: string;
  size: number;
  modifiedMs: number;
}

/** What is not uploaded, and why. */
export interface SkippedFile {
  path: string;
  reason: string;
}

/** Starts of the files that the gateway takes, at an offset. */
const STARTS: readonly [at: number, bytes: Buffer][] = [
  [0, Buffer.from([0xff, 0xd8, 0xff])],
  [0, Buffer.from('\x89PNG\r\n', 'latin1')],
  [0, Buffer.from('GIF8')],
  [8, Buffer.from('WEBP')],
  [0, Buffer.from('II*\0')],
  [0, Buffer.from('MM\0*')],
  // TIFF of more than 4 GB, which smaller ones are, too.
  [0, Buffer.from('II+\0')],
  [0, Buffer.from('MM\0+')],
  [4, Buffer.from('ftypavi')],
];

/**
 * Every image below a folder by its content, sorted by path; links are not followed. What is no image is named, and so are
 * the files and folders below it that can't be read.
 */
export async function scanFolder(
  folder: string,
): Promise<{ images: FoundImage[]; skipped: SkippedFile[]; unreadable: SkippedFile[] }> {
  const images = new Map<string, FoundImage>();
  const skipped: SkippedFile[] = [];
  const unreadable: SkippedFile[] = [];
  const visit = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const local = below === '' ? entry.name : `${below}/${entry.name}`;
      const path = local.normalize('NFC');
      const skip = (reason: string): void => void skipped.push({ path, reason });
      // The state of uploads is one of these.
      if (entry.name.startsWith('.trivium-upload')) continue;
      try {
        if (entry.name.startsWith('.')) skip('hidden');
        else if (entry.isSymbolicLink()) skip('a link, which is not followed');
        else if (entry.isDirectory()) await visit(local);
        else if (!entry.isFile()) skip('no file');
        else {
          const file = join(folder, local);
          const { size, mtimeMs } = await stat(file);
          if (!(await isImage(file))) skip('no image: neither JPEG, PNG, WebP, GIF, TIFF nor AVIF');
          else if (images.has(path)) skip('another file has the same name in another spelling');
          else images.set(path, { path, file, size, modifiedMs: mtimeMs });
        }
      } catch (error) {
        if (!isReadFailure(error)) throw error;
        unreadable.push({ path, reason: error.message });
      }
    }
  };
  await visit('');
  return { images: [...images.values()], skipped, unreadable };
}

/** Whether a file or folder could not be read, e.g. because it has gone. */
export function isReadFailure(error: unknown): error is Error {
  return (
    error instanceof Error && 'syscall' in error && ('path' in error || error.syscall === 'read')
  );
}

async function isImage(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(16);
    await handle.read(head, 0, head.length, 0);
    return STARTS.some(([at, bytes]) => head.subarray(at, at + bytes.length).equals(bytes));
  } finally {
    await handle.close();
  }
}
