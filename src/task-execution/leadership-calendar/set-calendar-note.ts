import { holdViewer } from '../../auth/identify.sql.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Day } from '../../core/time/days.ts';
import type { CalendarNote } from './list-notes.ts';
import { readNote, requireRoom, type NoteArgs } from './read-note.ts';

/**
 * Adds, changes or removes a note of the viewer on a day; null when it was removed. GraphQL `setCalendarNote`. Throws
 * NotFoundError for a note that is not the viewer's, ValidationError.
 */
export async function setCalendarNote(
  ctx: SignedInContext,
  args: NoteArgs & { date: Day },
): Promise<CalendarNote | null> {
  const { userId } = ctx.viewer;
  const note = readNote(args);
  const where = { userId, notesId: BigInt(args.notesId ?? 0) };
  return inTransaction(ctx, async ({ db }) => {
    const { calendarNote } = db.prisma;
    if (note === null) {
      await calendarNote.delete({ where });
      return null;
    }
    await holdViewer.rows(db, { userId });
    const data = { userId, day: args.date, text: note };
    const old = args.notesId == null ? null : await calendarNote.findUniqueOrThrow({ where });
    if (old?.day !== data.day)
      requireRoom(await calendarNote.count({ where: { userId, day: data.day } }), 'date');
    const { notesId } = old
      ? await calendarNote.update({ where, data })
      : await calendarNote.create({ data });
    return { notesId: Number(notesId), date: args.date, note };
  });
}
