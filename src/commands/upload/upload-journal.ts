import { appendFile, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { tellFull } from '../../storage/tell-full.ts';
import { UsageError } from '../support/usage-error.ts';
import type { FoundImage } from './scan-folder.ts';

const FORMAT = 'trivium-upload-1';
const headSchema = z.object({
  format: z.literal(FORMAT),
  gateway: z.string(),
  dataset: z.string(),
});
const lineSchema = z.object({
  path: z.string(),
  size: z.number(),
  modifiedMs: z.number(),
  /** Of the file as it is here, before encryption. */
  sha256: z.string(),
  /** Its id in the dataset. */
  image: z.string(),
});
type Line = z.infer<typeof lineSchema>;

/** What was uploaded from a folder, in a file of lines of JSON that only grows: it survives a stop at any moment. */
export class UploadJournal {
  readonly #file: string;
  readonly #lines: Map<string, Line>;

  private constructor(file: string, lines: Map<string, Line>) {
    this.#file = file;
    this.#lines = lines;
  }

  /** Opens the journal of uploads to a dataset of a gateway, or begins one. Throws UsageError for one of another dataset. */
  static async open(
    file: string,
    of: { gateway: string; dataset: string },
  ): Promise<UploadJournal> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      if (error.code === 'EISDIR') throw new UsageError(`${file}: is a folder`);
      throw error;
    });
    const lines = new Map<string, Line>();
    const begin = `${JSON.stringify({ format: FORMAT, ...of })}\n`;
    // A full disk or a stop may have left nothing of it, or a part.
    if (begin.startsWith(text)) await append(file, begin.slice(text.length));
    else {
      const [first, ...rest] = text.split('\n');
      const head = headSchema.safeParse(parse(first ?? ''));
      if (!head.success) throw new UsageError(`${file}: is no state of an upload`);
      if (head.data.gateway !== of.gateway || head.data.dataset !== of.dataset)
        throw new UsageError(
          `${file}: is of dataset ${head.data.dataset} at ${head.data.gateway}: give --state another file`,
        );
      // A line that a stop cut short counts as not written, and must not swallow the next one.
      if (!text.endsWith('\n')) await append(file, '\n');
      for (const one of rest) {
        const line = lineSchema.safeParse(parse(one));
        if (line.success) lines.set(line.data.path, line.data);
      }
    }
    return new UploadJournal(file, lines);
  }

  /** What was noted of an image that has not changed here since. */
  of({ path, size, modifiedMs }: FoundImage): Line | undefined {
    const line = this.#lines.get(path);
    return line?.size === size && line.modifiedMs === modifiedMs ? line : undefined;
  }

  /** Notes an image of the dataset with its content here. */
  async note({ path, size, modifiedMs }: FoundImage, sha256: string, image: string): Promise<void> {
    const line = { path, size, modifiedMs, sha256, image };
    const before = this.#lines.get(path);
    if (before && JSON.stringify(before) === JSON.stringify(line)) return;
    this.#lines.set(path, line);
    await append(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** Throws StorageFullError, which names the file. */
async function append(file: string, text: string): Promise<void> {
  try {
    await appendFile(file, text);
  } catch (error) {
    throw tellFull(error, `no space for ${file}: make some, and run the same again`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
