import type { ClientBase } from 'pg';
import type { Directory, ScopeEntry, ScopeKind, UserEntry } from '../core/records/record-kind.ts';
import { fold } from '../core/text.ts';

/** Reads every name that records may refer to, except feeds, which are looked up by batch. */
export async function loadDirectory(client: ClientBase): Promise<Directory> {
  const domains = new Map<string, number>();
  const scopes = new Map<string, ScopeEntry>();
  const users = new Map<string, UserEntry>();
  const scopeKey = (kind: ScopeKind, domainId: number, nameFold: string): string =>
    `${kind} ${domainId} ${nameFold}`;

  const domainRows = await client.query<{ id: number; name: string }>(
    'SELECT id, name FROM domain',
  );
  for (const row of domainRows.rows) domains.set(row.name, row.id);
  const scopeRows = await client.query<{
    kind: ScopeKind;
    id: number;
    domain_id: number;
    name_fold: string;
    time_zone: string;
  }>(
    `SELECT 'unit' AS kind, id, domain_id, name_fold, time_zone FROM unit
     UNION ALL SELECT 'dept', id, domain_id, name_fold, 'UTC' FROM dept
     UNION ALL SELECT 'profile', id, domain_id, name_fold, 'UTC' FROM profile`,
  );
  for (const row of scopeRows.rows)
    scopes.set(scopeKey(row.kind, row.domain_id, row.name_fold), {
      id: row.id,
      timeZone: row.time_zone,
    });
  const userRows = await client.query<{ id: number; domain_id: number; login: string }>(
    'SELECT id, domain_id, login FROM "user"',
  );
  for (const row of userRows.rows) users.set(row.login, { id: row.id, domainId: row.domain_id });

  return {
    domain: (name) => domains.get(name),
    scope: (kind, domainId, name) => scopes.get(scopeKey(kind, domainId, fold(name))),
    user: (login) => users.get(login),
    addDomain: (name, id) => void domains.set(name, id),
    addScope: (kind, domainId, name, entry) =>
      void scopes.set(scopeKey(kind, domainId, fold(name)), entry),
    addUser: (login, entry) => void users.set(login, entry),
  };
}
