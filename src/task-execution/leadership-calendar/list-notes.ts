import type { SignedInContext } from '../../core/context/context.ts';
import type { Day } from '../../core/time.ts';

/** What a user noted on a day. */
export interface CalendarNote {
  notesId: number;
  date: Day;
  note: string;
}

/** What was noted for a month. */
export interface MonthlyNote {
  notesId: number;
  /** yyyyMM. */
  month: string;
  note: string;
  /** It is the domain's, not the viewer's own. */
  forEveryone: boolean;
}

/** The viewer's own notes of a period, and its monthly notes: own ones and the domain's (D-47). GraphQL `LeadershipCalendar.notes`, `monthlyNotes`; REST `notes`, `monthly_notes`. */
export async function listNotes(
  ctx: SignedInContext,
  { from, to }: { from: Day; to: Day },
): Promise<{ notes: CalendarNote[]; monthlyNotes: MonthlyNote[] }> {
  const { viewer } = ctx;
  const [notes, monthly] = await Promise.all([
    ctx.db.rows(
      'SELECT notes_id, day, text FROM calendar_note WHERE user_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, notes_id',
      [viewer.userId, from, to],
    ),
    ctx.db.rows(
      `SELECT notes_id, month, text, user_id IS NULL FROM monthly_note
       WHERE domain_id = $1 AND (user_id = $2 OR user_id IS NULL) AND month BETWEEN $3 AND $4 ORDER BY month, notes_id`,
      [viewer.domainId, viewer.userId, from.slice(0, 6), to.slice(0, 6)],
    ),
  ]);
  return {
    notes: notes.map(([id, date, note]) => ({
      notesId: Number(id),
      date: date ?? '',
      note: note ?? '',
    })),
    monthlyNotes: monthly.map(([id, month, note, shared]) => ({
      notesId: Number(id),
      month: month ?? '',
      note: note ?? '',
      forEveryone: shared === 't',
    })),
  };
}
