import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError, NotFoundError } from '../../core/errors.ts';
import type { MonthlyNote } from './list-notes.ts';
import { readNote, type NoteArgs } from './read-note.ts';

/**
 * Writes, changes or removes a note for a month: the viewer's own, or with the permission DOMAIN_ADMIN everybody's; null when it was removed. GraphQL
 * `setMonthlyNote`. Throws NotFoundError, ForbiddenError, ValidationError, E145, E146.
 */
export async function setMonthlyNote(
  ctx: SignedInContext,
  args: NoteArgs & { year: number; month: number; forEveryone?: boolean | null | undefined },
): Promise<MonthlyNote | null> {
  const forEveryone = args.forEveryone === true;
  const viewer = forEveryone ? requirePermission(ctx, 'DOMAIN_ADMIN') : ctx.viewer;
  if (args.month < 1 || args.month > 12) throw new AppError('E145');
  if (args.year < 1 || args.year > 9999) throw new AppError('E146');
  const month = `${String(args.year).padStart(4, '0')}${String(args.month).padStart(2, '0')}`;
  const note = readNote(args);
  const owner = forEveryone ? null : viewer.userId;
  const mine = 'domain_id = $1 AND user_id IS NOT DISTINCT FROM $2 AND notes_id = $3';
  const [row] =
    args.notesId == null
      ? await ctx.db.rows(
          'INSERT INTO monthly_note (domain_id, user_id, month, text) VALUES ($1, $2, $3, $4) RETURNING notes_id',
          [viewer.domainId, owner, month, note],
        )
      : note === null
        ? await ctx.db.rows(`DELETE FROM monthly_note WHERE ${mine} RETURNING notes_id`, [
            viewer.domainId,
            owner,
            args.notesId,
          ])
        : await ctx.db.rows(
            `UPDATE monthly_note SET month = $4, text = $5 WHERE ${mine} RETURNING notes_id`,
            [viewer.domainId, owner, args.notesId, month, note],
          );
  if (!row) throw new NotFoundError('MonthlyNote');
  return note === null ? null : { notesId: Number(row[0]), month, note, forEveryone };
}
