import type { SignedInContext } from '../../core/context/context.ts';
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
  const { calendarNote } = ctx.db.prisma;
  const note = readNote(args);
  const where = { userId, notesId: BigInt(args.notesId ?? 0) };
  if (note === null) {
    await calendarNote.delete({ where });
    return null;
  }
  const data = { userId, day: args.date, text: note };
  if (args.notesId == null)
    requireRoom(await calendarNote.count({ where: { userId, day: args.date } }), 'date');
  const { notesId } =
    args.notesId == null
      ? await calendarNote.create({ data })
      : await calendarNote.update({ where, data });
  return { notesId: Number(notesId), date: args.date, note };
}
