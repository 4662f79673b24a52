import type { Database } from '../core/database/db.ts';
import type { Directory, ScopeEntry, ScopeKind, UserEntry } from '../core/records/record-kind.ts';
import { fold } from '../core/text.ts';

/** Reads every name that records may refer to, except feeds and users, which are looked up by batch. */
export async function loadDirectory(db: Database): Promise<Directory> {
  const domains = new Map<string, number>();
  const scopes = new Map<string, ScopeEntry>();
  /** Undefined where nobody has the login. */
  const users = new Map<string, UserEntry | undefined>();
  const scopeKey = (kind: ScopeKind, domainId: number, nameFold: string): string =>
    `${kind} ${domainId} ${nameFold}`;

  const { prisma } = db;
  const named = { id: true, domainId: true, nameFold: true } as const;
  for (const { id, name } of await prisma.domain.findMany({ select: { id: true, name: true } }))
    domains.set(name, id);
  const scopesOf = {
    unit: await prisma.unit.findMany({ select: { ...named, timeZone: true } }),
    dept: await prisma.dept.findMany({ select: named }),
    profile: await prisma.profile.findMany({ select: named }),
  };
  for (const kind of ['unit', 'dept', 'profile'] as const)
    for (const { id, domainId, nameFold, ...unit } of scopesOf[kind])
      scopes.set(scopeKey(kind, domainId, nameFold), { id, timeZone: 'UTC', ...unit });

  return {
    domain: (name) => domains.get(name),
    scope: (kind, domainId, name) => scopes.get(scopeKey(kind, domainId, fold(name))),
    user(login) {
      if (!users.has(login)) throw new Error('a kind of record does not name its logins');
      return users.get(login);
    },
    addDomain: (name, id) => void domains.set(name, id),
    addScope: (kind, domainId, name, entry) =>
      void scopes.set(scopeKey(kind, domainId, fold(name)), entry),
    addUser: (login, entry) => void users.set(login, entry),
    async readUsers(logins) {
      const unread = new Set<string>();
      for (const login of logins) if (login != null && !users.has(login)) unread.add(login);
      if (unread.size === 0) return;
      const known = await prisma.user.findMany({
        where: { login: { in: [...unread] } },
        select: { id: true, domainId: true, login: true },
      });
      for (const login of unread) users.set(login, undefined);
      for (const { login, ...user } of known) users.set(login, user);
    },
  };
}
