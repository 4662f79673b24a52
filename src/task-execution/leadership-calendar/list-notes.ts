import type { SignedInContext } from '../../core/context/context.ts';
import type { Day } from '../../core/time/days.ts';

/** A user's note on a day. */
export interface CalendarNote {
  notesId: number;
  date: Day;
  note: string;
}

/** A note for a month. */
export interface MonthlyNote {
  notesId: number;
  /** yyyyMM. */
  month: string;
  note: string;
  /** True for a note of the domain, false for the viewer's own. */
  forEveryone: boolean;
}

/**
 * The viewer's own notes of a period, and its monthly notes: own ones and the domain's (D-47). GraphQL
 * `LeadershipCalendar.notes`, `monthlyNotes`; REST `notes`, `monthly_notes`.
 */
export async function listNotes(
  ctx: SignedInContext,
  { from, to }: { from: Day; to: Day },
): Promise<{ notes: CalendarNote[]; monthlyNotes: MonthlyNote[] }> {
  const { userId, domainId } = ctx.viewer;
  const { calendarNote, monthlyNote } = ctx.db.prisma;
  const [notes, monthly] = await Promise.all([
    calendarNote.findMany({
      where: { userId, day: { gte: from, lte: to } },
      orderBy: [{ day: 'asc' }, { notesId: 'asc' }],
    }),
    monthlyNote.findMany({
      where: {
        domainId,
        OR: [{ userId }, { userId: null }],
        month: { gte: from.slice(0, 6), lte: to.slice(0, 6) },
      },
      orderBy: [{ month: 'asc' }, { notesId: 'asc' }],
    }),
  ]);
  return {
    notes: notes.map(({ notesId, day, text }) => ({
      notesId: Number(notesId),
      date: day,
      note: text,
    })),
    monthlyNotes: monthly.map(({ notesId, month, text, userId: owner }) => ({
      notesId: Number(notesId),
      month,
      note: text,
      forEveryone: owner === null,
    })),
  };
}
