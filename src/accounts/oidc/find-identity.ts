import { tellAct, tellObject } from '../../core/context/act.ts';
import type { Acting } from '../../core/context/act.ts';
import type { Services } from '../../core/context/context.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import { AppError } from '../../core/errors.ts';
import type { ClaimedUser } from './read-claims.ts';
import type { VerifiedToken } from './verify-token.ts';

/** The user of an identity. */
export interface IdentifiedUser {
  id: number;
  domainId: number;
  profileId: number | null;
  defaultView: string;
}

/** Whose an identity is, or will be: `user` undefined says that one has to be made. */
export interface FoundIdentity {
  domainId: number;
  user: IdentifiedUser | undefined;
  isLinked: boolean;
  /** When the token was issued whose claims the user has. */
  claimsAt: Date | null;
}

type Ctx = Pick<Services, 'db' | 'clock'> & Acting;

/**
 * Reads to whom a verified identity belongs: the user whose it is, or, the first time, the user with its login, if the
 * provider's rule allows that and no identity is theirs yet, or one to be made. No claim moves a user to another domain.
 * Throws E202, always with the same text; the audit log has the reason.
 */
export async function findIdentity(
  ctx: Pick<Services, 'db'> & Acting,
  token: VerifiedToken,
  said: ClaimedUser,
): Promise<FoundIdentity> {
  const { prisma } = ctx.db;
  const { settings, subject, proof } = token;
  const { issuer } = settings;
  const used = await prisma.session.findFirst({ where: { proof }, select: { user: true } });
  if (used) throw refuse(ctx, token, 'token used before', used.user);
  const domain =
    said.domain === undefined
      ? null
      : await prisma.domain.findUnique({ where: { name: said.domain }, select: { id: true } });
  if (!domain) throw refuse(ctx, token, 'no such domain');
  const domainId = domain.id;
  tellAct(ctx, { domainId });
  const { login } = said;
  // Read before the link, because another request of the identity may be making both.
  const user =
    login === undefined
      ? null
      : await prisma.user.findUnique({ where: { login }, include: { identity: true } });
  const link = await prisma.userIdentity.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: { user: true, claimsAt: true },
  });
  if (link) {
    const { user: linked, claimsAt } = link;
    if (linked.domainId !== domainId) throw refuse(ctx, token, 'user of another domain', linked);
    if (linked.disabledAt) throw refuse(ctx, token, 'disabled user', linked);
    return { domainId, user: linked, isLinked: true, claimsAt };
  }
  if (login === undefined) throw refuse(ctx, token, 'no login');
  if (user) {
    // Administrators of this domain learn nothing of users of others.
    const ours = user.domainId === domainId ? user : undefined;
    if (!ours || ours.identity || ours.disabledAt || !mayLink(token, said))
      throw refuse(ctx, token, 'login of another user', ours);
  } else if (!settings.provision) throw refuse(ctx, token, 'no user');
  return { domainId, user: user ?? undefined, isLinked: false, claimsAt: null };
}

/** Makes the user of a new identity, if there is none, and keeps that the identity is theirs, within a transaction. */
export async function keepIdentity(
  ctx: Ctx,
  token: VerifiedToken,
  { said, found }: { said: ClaimedUser; found: FoundIdentity },
): Promise<IdentifiedUser> {
  const { issuer } = token.settings;
  const { subject } = token;
  const user = found.user ?? (await makeUser(ctx, token, { said, domainId: found.domainId }));
  if (!found.isLinked)
    await ctx.db.prisma.userIdentity.create({
      data: { issuer, subject, userId: user.id, createdAt: new Date(ctx.clock()) },
    });
  return user;
}

async function makeUser(
  ctx: Ctx,
  { settings }: VerifiedToken,
  { said, domainId }: { said: ClaimedUser; domainId: number },
): Promise<IdentifiedUser> {
  const { login = '', displayName = login } = said;
  const made = await ctx.db.prisma.user.create({ data: { domainId, login, displayName } });
  const at = new Date(ctx.clock());
  const { address, requestId, surface = 'REST' } = ctx.act ?? {};
  await writeAuditLog(ctx.db, {
    ...{ actor: `user:${made.id}`, userId: made.id, domainId, surface, action: 'provisionUser' },
    ...{ objects: [`User:${made.id}`], target: `provider ${settings.id}`, address, requestId, at },
  });
  return made;
}

function mayLink({ settings }: VerifiedToken, { verifiedEmail }: ClaimedUser): boolean {
  return settings.link === 'login' || (settings.link === 'verified-email' && verifiedEmail);
}

/** The error for a genuine token that begins no session; the administrators of a known user's domain see who it is. */
export function refuse(
  ctx: Acting,
  { settings }: VerifiedToken,
  reason: string,
  user?: Pick<IdentifiedUser, 'id' | 'domainId'>,
): AppError {
  tellAct(ctx, { target: `provider ${settings.id}: ${reason}` });
  if (user) {
    tellAct(ctx, { domainId: user.domainId });
    tellObject(ctx, 'User', user.id);
  }
  return new AppError('E202', { message: 'This identity may not sign in here' });
}
