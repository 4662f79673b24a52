import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { END, folders } from '../../src/cells/archive/domain-file.ts';
import { readTar, readWhole } from '../../src/cells/archive/tar-reader.ts';
import { TarWriter } from '../../src/cells/archive/tar-writer.ts';

/** Entries of an export that are to be others. Those that it lacks come before its end, files first. */
export type Changes = Record<string, (text: string) => string>;

/** Writes an export anew with other entries, and with the SHA-256 that it has then: damaged by its maker, not on its way. */
export async function alterExport(from: string, to: string, changes: Changes): Promise<string> {
  const [source, target] = [await open(from, 'r'), await open(to, 'w')];
  try {
    const writer = new TarWriter(target, { position: 0, hash: createHash('sha256') });
    const added = new Set(Object.keys(changes));
    const add = async (where: (name: string) => boolean): Promise<void> => {
      for (const name of [...added].filter(where)) {
        added.delete(name);
        await writer.write(name, Buffer.from(changes[name]?.('') ?? ''));
      }
    };
    const names = new Set<string>();
    for await (const { name } of readTar(source)) names.add(name);
    for await (const entry of readTar(source)) {
      const bytes = await readWhole(entry);
      if (entry.name === END) await add((name) => !names.has(name));
      const change = changes[entry.name];
      const changed = change ? Buffer.from(change(bytes.toString())) : bytes;
      await writer.write(entry.name, entry.name === END ? signed(changed, writer.sha256) : changed);
      if (entry.start === 0)
        await add((name) => !names.has(name) && name.startsWith(folders.files));
    }
    await writer.end();
    return to;
  } finally {
    await source.close();
    await target.close();
  }
}

const signed = (end: Buffer, sha256: string): Buffer =>
  Buffer.from(JSON.stringify({ ...(JSON.parse(end.toString()) as object), sha256 }));

/** A row as it stands in an export, by the names of its columns. */
export type ExportedRow = Record<string, string | null>;

/** A change of the rows of an entry. */
export const rowsAs =
  (change: (rows: ExportedRow[]) => ExportedRow[]) =>
  (text: string): string => {
    const [columns = [], ...lines] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
    const rows = lines.map((cells) =>
      Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? null])),
    );
    const changed = change(rows).map((row) => columns.map((column) => row[column] ?? null));
    return [columns, ...changed].map((line) => `${JSON.stringify(line)}\n`).join('');
  };

/** A change of one column of the first row. */
export const firstAs = (values: ExportedRow): ((text: string) => string) =>
  rowsAs(([first, ...rest]) => [{ ...first, ...values }, ...rest]);

/** A change of an entry that is one JSON document. */
export const jsonAs =
  (change: (value: any) => unknown) =>
  (text: string): string =>
    JSON.stringify(change(JSON.parse(text)));
