import type { ClientBase } from 'pg';
import type { z } from 'zod';

/** A record of an import file with the line it stood on. */
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

/** Which names the database and the earlier lines of the file know. */
export interface Directory {
  domain(name: string): number | undefined;
  scope(kind: ScopeKind, domainId: number, name: string): ScopeEntry | undefined;
  user(login: string): UserEntry | undefined;
  addDomain(name: string, id: number): void;
  addScope(kind: ScopeKind, domainId: number, name: string, entry: ScopeEntry): void;
  addUser(login: string, entry: UserEntry): void;
}

/** One import of one file: what a record kind may use while it writes. */
export interface ImportRun {
  /** Connection of the import's one transaction. */
  client: ClientBase;
  directory: Directory;
  /** Time of the import, epoch milliseconds. */
  now: number;
  /** Reports a fault of a line; the file is then refused as a whole, after all of it was read. */
  problem(line: number, field: string, reason: string): void;
}

/** What an import file may hold: declared next to the resource, listed in import/kinds.ts. */
export interface RecordKind<T = unknown> {
  /** Value of the field `record`. */
  name: string;
  /** A strict object; its JSON Schema is published. */
  schema: z.ZodType<T>;
  /** Two records with the same key are never in one batch, so that one statement can write it. */
  key(value: T): string;
  /** Writes a batch; a record with a fault is reported and left out. */
  write(batch: readonly ImportLine<T>[], run: ImportRun): Promise<void>;
  /** Called once, after the last record of the file. */
  finish?(run: ImportRun): Promise<void>;
}

/** The id of the domain that a line names; when the database and the earlier lines know none, the fault is reported. */
export function findDomain(run: ImportRun, line: number, name: string): number | undefined {
  const id = run.directory.domain(name);
  if (id === undefined)
    run.problem(line, 'domain', `no domain "${name}" in the database or on an earlier line`);
  return id;
}
