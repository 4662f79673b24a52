import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { Day } from '../../core/time.ts';
import type { CalendarNote } from './list-notes.ts';
import { readNote, type NoteArgs } from './read-note.ts';

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
