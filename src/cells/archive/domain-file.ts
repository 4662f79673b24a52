import * as z from 'zod';

/** The file is damaged, not whole, or none of `domain export`; the message says what is wrong. No row of it was kept. */
export class DamagedDomainFileError extends Error {
  override name = 'DamagedDomainFileError';
}

/** First entry of a file. */
export const HEADER = 'domain.json';
/** Last entry of a file: without it, the file is not whole. */
export const END = 'end.json';

/** Where entries stand: the files of the storage by their keys, the rows of a table, the keys of all its rows. */
export const folders = { files: 'files/', rows: 'rows/', keys: 'keys/' } as const;

/** The key of a file of the storage, from the name of its entry. */
export function keyOf(name: string): string | undefined {
  return name.startsWith(folders.files) ? name.slice(folders.files.length) : undefined;
}

/** The SHA-256 of a content, where the key has it: those of images do. */
export function contentOf(key: string): string | undefined {
  return /\/([0-9a-f]{64})-[0-9a-f]+$/.exec(key)?.[1];
}

/** Most lines of an entry after the first one, and most bytes of an entry that is read at once. */
export const most = { lines: 1_000, bytes: 64 * 1024 * 1024 } as const;

const idSchema = z.uuid();

/** PostgreSQL's integers, and its texts that are not empty. */
const domainSchema = z.strictObject({
  id: z.int().positive().max(2_147_483_647),
  name: z.string().regex(/^[^\0]+$/),
});

/** What a file is. It is known before anything is read. */
export const headerSchema = z.strictObject({
  format: z.literal(1),
  /** Of this export. */
  id: idSchema,
  domain: domainSchema,
  /** The last migration of the database. */
  migration: z.string(),
  /** The export whose rows these are the changes of; null: all rows. */
  since: idSchema.nullable(),
});
export type DomainFileHeader = z.infer<typeof headerSchema>;

/** How a file ends. */
export const endSchema = z.strictObject({
  /** SHA-256 of everything before this entry. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The snapshot of the rows: its database, and the lowest transaction that it may not have seen. */
  snapshot: z.strictObject({ logId: z.string(), xmin: z.string().regex(/^\d{1,19}$/) }),
  createdAt: z.iso.datetime(),
  /** Rows that the domain had in each table. */
  counts: z.record(z.string(), z.int().nonnegative()),
  files: z.int().nonnegative(),
  /** Files that rows name and the storage has lost. */
  missing: z.array(z.string()),
});
export type DomainFileEnd = z.infer<typeof endSchema>;

/** Reads one of the two from its bytes. Throws DamagedDomainFileError. */
export function readPart<T>(schema: z.ZodType<T>, bytes: Uint8Array, name: string): T {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new DamagedDomainFileError(`its entry ${name} is no JSON`);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const format = z.looseObject({ format: z.number() }).safeParse(value);
  throw new DamagedDomainFileError(
    format.success && format.data.format !== 1
      ? `it is of format ${format.data.format}, which this version does not know`
      : `its entry ${name} is not as it should be`,
  );
}
