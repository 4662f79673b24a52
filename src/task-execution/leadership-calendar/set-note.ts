import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { isStorable } from '../../core/text.ts';
import type { Day } from '../../core/time.ts';
import type { CalendarNote, MonthlyNote } from './list-notes.ts';

/** Longest note, in characters. */
const MAX_NOTE = 2_000;

interface NoteArgs {
  /** A note to change; absent for a new one. */
  notesId?: number | null | undefined;
  /** Null, undefined or blank takes the note away. */
  note?: string | null | undefined;
}

/** Writes, changes or removes a note of the viewer on a day; null when it was removed. GraphQL `setCalendarNote`. Throws NotFoundError for a note that is not the viewer's, ValidationError. */
export async function setCalendarNote(
  ctx: SignedInContext,
  args: NoteArgs & { date: Day },
): Promise<CalendarNote | null> {
  const { viewer } = ctx;
  const note = readNote(args);
  const [row] =
    args.notesId == null
      ? await ctx.db.rows(
          'INSERT INTO calendar_note (user_id, day, text) VALUES ($1, $2, $3) RETURNING notes_id',
          [viewer.userId, args.date, note],
        )
      : note === null
        ? await ctx.db.rows(
            'DELETE FROM calendar_note WHERE user_id = $1 AND notes_id = $2 RETURNING notes_id',
            [viewer.userId, args.notesId],
          )
        : await ctx.db.rows(
            'UPDATE calendar_note SET day = $3, text = $4 WHERE user_id = $1 AND notes_id = $2 RETURNING notes_id',
            [viewer.userId, args.notesId, args.date, note],
          );
  if (!row) throw new NotFoundError('CalendarNote');
  return note === null ? null : { notesId: Number(row[0]), date: args.date, note };
}

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

/** The text of a note; null to remove one. */
function readNote({ notesId, note }: NoteArgs): string | null {
  const refuse = (message: string, code: string): never => {
    throw new ValidationError([{ path: ['input', 'note'], message, code }]);
  };
  if (note == null || note.trim() === '')
    return notesId == null ? refuse('is required for a new note', 'REQUIRED') : null;
  if (note.length > MAX_NOTE) return refuse(`is longer than ${MAX_NOTE} characters`, 'TOO_LONG');
  return isStorable(note) ? note : refuse("holds characters that can't be stored", 'UNSTORABLE');
}
