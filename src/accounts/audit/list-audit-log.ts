import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { readGlobalId } from '../../core/global-id.ts';
import type { Connection, PageRequest } from '../../core/lists/pagination.ts';
import { readPage } from '../../core/lists/read-list.ts';
import { foldLogin, isStorable } from '../../core/text.ts';
import { auditEntries, countNaming, FEW, type AuditFilter } from './audit.sql.ts';
import type { AuditLogEntry } from './audit-entry.ts';

export interface AuditLogArgs {
  days: number;
  /** Login. */
  user?: string | null | undefined;
  operation?: string | null | undefined;
  /** A global id, or `<type>:<id>` as entries show it. */
  object?: string | null | undefined;
  page: PageRequest;
}

/** Nobody has this id. */
const NOBODY = 0;

/** One page of who did what in the administrator's domain. GraphQL `viewer.auditLog`. Throws ForbiddenError, E900, E901. */
export async function listAuditLog(
  ctx: SignedInContext,
  { days, page, ...args }: AuditLogArgs,
): Promise<Connection<AuditLogEntry>> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  const filter: AuditFilter = {
    since: auditSince(ctx, days),
    domainId,
    userId: args.user == null ? undefined : await findUser(ctx, domainId, args.user),
    operation: args.operation == null ? undefined : checked('operation', args.operation),
    object: args.object == null ? undefined : await findObject(ctx, args.object),
  };
  const query = auditEntries.query(
    filter,
    (row) => row,
    ({ at, id }) => [at, String(id)],
  );
  return readPage(ctx, query, page);
}

/** The first moment of the last days. Throws E900 for more than are kept. */
export function auditSince(
  { clock, config }: Pick<SignedInContext, 'clock' | 'config'>,
  days: number,
): Date {
  if (!Number.isInteger(days) || days < 1 || days > config.auditDays)
    throw new AppError('E900', { message: `days must be 1 to ${config.auditDays}` });
  return new Date(clock() - days * 86_400_000);
}

async function findUser(ctx: SignedInContext, domainId: number, login: string): Promise<number> {
  const found = await ctx.db.prisma.user.findFirst({
    where: { domainId, login: foldLogin(checked('user', login)) },
    select: { id: true },
  });
  return found?.id ?? NOBODY;
}

async function findObject(ctx: SignedInContext, object: string): Promise<AuditFilter['object']> {
  const name = checked('object', objectOf(object));
  const found = await countNaming.first(ctx.db, { name });
  return { name, few: (found?.entries ?? 0) <= FEW };
}

function checked(name: string, text: string): string {
  if (!isStorable(text) || text.length > 200)
    throw new AppError('E900', { message: `${name} is not a valid text` });
  return text;
}

/** Types begin with a capital letter, which base64 may too; but `:` is no letter of base64. */
function objectOf(text: string): string {
  const read = text.includes(':') ? undefined : readGlobalId(text);
  return read ? `${read.typename}:${read.id.toLowerCase()}` : text;
}
