import type * as z from 'zod';
import type { Database } from '../database/db.ts';

/** A record of an import file, with its line number. */
export interface ImportLine<T> {
  line: number;
  value: T;
}

export type ScopeKind = 'unit' | 'dept' | 'profile';

export interface ScopeEntry {
  id: number;
  /** IANA zone of a unit; UTC for the others. */
  timeZone: string;
}

export interface UserEntry {
  id: number;
  domainId: number;
}

/** The names known from the database and from earlier lines of the file. */
export interface Directory {
  domain(name: string): number | undefined;
  scope(kind: ScopeKind, domainId: number, name: string): ScopeEntry | undefined;
  /** Only of logins that the record's kind has named. */
  user(login: string): UserEntry | undefined;
  addDomain(name: string, id: number): void;
  addScope(kind: ScopeKind, domainId: number, name: string, entry: ScopeEntry): void;
  addUser(login: string, entry: UserEntry): void;
  /** Reads those users that are not known yet. */
  readUsers(logins: readonly (string | null | undefined)[]): Promise<void>;
}

/** One import of one file: what a record kind may use while writing. */
export interface ImportRun {
  /** On the connection of the import's one transaction. */
  db: Database;
  directory: Directory;
  /** Feeds whose tasks are to be counted again. */
  parents: Set<number>;
  /** Domains that the file writes to, for the audit log. */
  domains: Set<number>;
  /** Time of the import, in epoch milliseconds. */
  now: number;
  /** Reports a fault of a line; after the whole file has been read, it is refused as a whole. */
  problem(line: number, field: string, reason: string): void;
}

/** What storing a record did; a record that is stored already is not written. */
export type Effect = 'new' | 'changed' | 'same';

export const changedIf = (changed: boolean): Effect => (changed ? 'changed' : 'same');

/** A kind of record in import files: declared next to its resource, listed in import/kinds.ts. */
export interface RecordKind<T = unknown> {
  /** Value of the field `record`. */
  name: string;
  /** A strict object; its JSON Schema is published. */
  schema: z.ZodType<T>;
  /** Records with the same key are never in one batch, so that one statement can write a batch. */
  key(value: T): string;
  /** Logins of the users that a record refers to, for `directory.user`. */
  logins?(value: T): readonly (string | null | undefined)[];
  /** Writes a batch, and says what that did, record by record; a faulty one is reported and left out. */
  write(batch: readonly ImportLine<T>[], run: ImportRun): Promise<readonly Effect[]>;
  /** Called once, after the last record of the file. */
  finish?(run: ImportRun): Promise<void>;
}

/** Writes the records of a batch one after the other. What returns undefined was reported as faulty. */
export function oneByOne<T>(
  write: (entry: ImportLine<T>, run: ImportRun) => Promise<Effect | undefined>,
): RecordKind<T>['write'] {
  return async (batch, run) => {
    const effects: Effect[] = [];
    for (const entry of batch) {
      const effect = await write(entry, run);
      if (effect) effects.push(effect);
    }
    return effects;
  };
}

/** The same for records that name their domain: those of an unknown one are reported. */
export function oneByOneInDomain<T extends { domain: string }>(
  write: (entry: ImportLine<T> & { domainId: number }, run: ImportRun) => Promise<Effect>,
): RecordKind<T>['write'] {
  return oneByOne(async (entry, run) => {
    const domainId = findDomain(run, entry.line, entry.value.domain);
    return domainId === undefined ? undefined : write({ ...entry, domainId }, run);
  });
}

/** The id of the domain that a line names; reports a fault when neither the database nor an earlier line has it. */
export function findDomain(run: ImportRun, line: number, name: string): number | undefined {
  const id = run.directory.domain(name);
  if (id === undefined)
    run.problem(line, 'domain', `no domain "${name}" in the database or on an earlier line`);
  else run.domains.add(id);
  return id;
}
