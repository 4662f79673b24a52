import { requirePermission } from '../../auth/guards.ts';
import { holdViewer } from '../../auth/identify.sql.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { AppError } from '../../core/errors.ts';
import { waitForLock } from '../../core/sql/writes.sql.ts';
import { fourDigits } from './leadership-period.ts';
import type { MonthlyNote } from './list-notes.ts';
import { readNote, requireRoom, type NoteArgs } from './read-note.ts';

/** An arbitrary constant: administrators add notes for everybody one after the other. */
const NOTES_LOCK = 4_711_070;

/**
 * Adds, changes or removes a note for a month: the viewer's own or, with the permission DOMAIN_ADMIN, the domain's;
 * null when it was removed. GraphQL `setMonthlyNote`. Throws NotFoundError, ForbiddenError, ValidationError, E145,
 * E146.
 */
export async function setMonthlyNote(
  ctx: SignedInContext,
  args: NoteArgs & { year: number; month: number; forEveryone?: boolean | null | undefined },
): Promise<MonthlyNote | null> {
  const forEveryone = args.forEveryone === true;
  const viewer = forEveryone ? requirePermission(ctx, 'DOMAIN_ADMIN') : ctx.viewer;
  if (args.month < 1 || args.month > 12)
    throw new AppError('E145', { inGraphQL: 'input.month must be between 1 and 12' });
  const month = `${fourDigits(args.year, 'input.year')}${String(args.month).padStart(2, '0')}`;
  const note = readNote(args);
  const { domainId } = viewer;
  const userId = forEveryone ? null : viewer.userId;
  const where = { domainId, userId, notesId: BigInt(args.notesId ?? 0) };
  return inTransaction(ctx, async ({ db }) => {
    const { monthlyNote } = db.prisma;
    if (note === null) {
      await monthlyNote.delete({ where });
      return null;
    }
    if (userId === null) await waitForLock.rows(db, { lock: NOTES_LOCK });
    else await holdViewer.rows(db, { userId });
    const data = { domainId, userId, month, text: note };
    const old = args.notesId == null ? null : await monthlyNote.findUniqueOrThrow({ where });
    if (old?.month !== month)
      requireRoom(await monthlyNote.count({ where: { domainId, userId, month } }), 'month');
    const { notesId } = old
      ? await monthlyNote.update({ where, data })
      : await monthlyNote.create({ data });
    return { notesId: Number(notesId), month, note, forEveryone };
  });
}
