import * as z from 'zod';
import { filledText, loginField, nameField } from '../../../core/records/record-fields.ts';
import { findDomain, type RecordKind } from '../../../core/records/record-kind.ts';
import { parseDay } from '../../../core/time/days.ts';

const note = filledText(2000);

const calendarNote = z
  .strictObject({
    record: z.literal('calendar_note'),
    user: loginField,
    date: z.string().refine((value) => parseDay(value) !== undefined, 'expected a day yyyyMMdd'),
    note,
  })
  .meta({
    description:
      "A user's note on a day of the leadership calendar. One that is there already is left as it is.",
  });

/** Import record `calendar_note`. */
export const calendarNoteRecord: RecordKind<z.infer<typeof calendarNote>> = {
  name: 'calendar_note',
  schema: calendarNote,
  key: ({ user, date, note: text }) => `${user} ${date} ${text}`,
  logins: ({ user }) => [user],
  async write(batch, run) {
    const rows = batch.flatMap(({ line, value }) => {
      const user = run.directory.user(value.user);
      if (!user)
        run.problem(line, 'user', `no user "${value.user}" in the database or on an earlier line`);
      return user ? [{ userId: user.id, day: value.date, text: value.note }] : [];
    });
    const { calendarNote } = run.db.prisma;
    const known = await calendarNote.findMany({
      where: {
        userId: { in: rows.map(({ userId }) => userId) },
        text: { in: rows.map(({ text }) => text) },
      },
    });
    const kept = new Set(known.map(keyOf));
    await calendarNote.createMany({ data: rows.filter((row) => !kept.has(keyOf(row))) });
    return rows.map((row) => (kept.has(keyOf(row)) ? 'same' : 'new'));
  },
};

const monthlyNote = z
  .strictObject({
    record: z.literal('monthly_note'),
    domain: nameField,
    user: loginField.optional().meta({ description: 'Left out: for everybody in the domain.' }),
    month: z.string().regex(/^(?!0000)\d{4}(0[1-9]|1[0-2])$/, 'expected a month yyyyMM'),
    note,
  })
  .meta({
    description:
      'A note for a month of the leadership calendar. One that is there already is left as it is.',
  });

/** Import record `monthly_note`. */
export const monthlyNoteRecord: RecordKind<z.infer<typeof monthlyNote>> = {
  name: 'monthly_note',
  schema: monthlyNote,
  key: ({ domain, user, month, note: text }) => `${domain} ${user ?? ''} ${month} ${text}`,
  logins: ({ user }) => [user],
  async write(batch, run) {
    const rows = batch.flatMap(({ line, value }) => {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) return [];
      const user = value.user === undefined ? undefined : run.directory.user(value.user);
      if (value.user === undefined || user?.domainId === domainId)
        return [{ domainId, userId: user?.id ?? null, month: value.month, text: value.note }];
      run.problem(line, 'user', `no user "${value.user}" in domain "${value.domain}"`);
      return [];
    });
    const { monthlyNote } = run.db.prisma;
    const known = await monthlyNote.findMany({
      where: {
        domainId: { in: rows.map(({ domainId }) => domainId) },
        text: { in: rows.map(({ text }) => text) },
      },
    });
    const kept = new Set(known.map(keyOf));
    await monthlyNote.createMany({ data: rows.filter((row) => !kept.has(keyOf(row))) });
    return rows.map((row) => (kept.has(keyOf(row)) ? 'same' : 'new'));
  },
};

/** Notes with the same key are the same. */
function keyOf(row: {
  domainId?: number;
  userId: number | null;
  day?: string;
  month?: string;
  text: string;
}): string {
  return JSON.stringify([row.domainId, row.userId, row.day, row.month, row.text]);
}
