import { z } from 'zod';
import { filledText, loginField, nameField } from '../../../core/records/record-fields.ts';
import { findDomain, type RecordKind } from '../../../core/records/record-kind.ts';
import { parseDay } from '../../../core/time.ts';

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
  async write(batch, run) {
    const rows = batch.flatMap(({ line, value }) => {
      const user = run.directory.user(value.user);
      if (!user)
        run.problem(line, 'user', `no user "${value.user}" in the database or on an earlier line`);
      return user ? [{ user_id: user.id, day: value.date, text: value.note }] : [];
    });
    await run.client.query(
      `INSERT INTO calendar_note (user_id, day, text) SELECT r.user_id, r.day, r.text
       FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (user_id int, day text, text text)) WITH ORDINALITY AS r (user_id, day, text, place)
       WHERE NOT EXISTS (SELECT FROM calendar_note n WHERE n.user_id = r.user_id AND n.day = r.day AND n.text = r.text) ORDER BY r.place`,
      [JSON.stringify(rows)],
    );
  },
};

const monthlyNote = z
  .strictObject({
    record: z.literal('monthly_note'),
    domain: nameField,
    user: loginField.optional().meta({ description: 'Left out: for everybody in the domain.' }),
    month: z.string().regex(/^\d{4}(0[1-9]|1[0-2])$/, 'expected a month yyyyMM'),
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
  async write(batch, run) {
    const rows = batch.flatMap(({ line, value }) => {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) return [];
      const user = value.user === undefined ? undefined : run.directory.user(value.user);
      if (value.user === undefined || user?.domainId === domainId)
        return [
          { domain_id: domainId, user_id: user?.id ?? null, month: value.month, text: value.note },
        ];
      run.problem(line, 'user', `no user "${value.user}" in domain "${value.domain}"`);
      return [];
    });
    await run.client.query(
      `INSERT INTO monthly_note (domain_id, user_id, month, text) SELECT r.domain_id, r.user_id, r.month, r.text
       FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (domain_id int, user_id int, month text, text text)) WITH ORDINALITY AS r (domain_id, user_id, month, text, place)
       WHERE NOT EXISTS (SELECT FROM monthly_note n WHERE n.domain_id = r.domain_id AND n.user_id IS NOT DISTINCT FROM r.user_id AND n.month = r.month AND n.text = r.text) ORDER BY r.place`,
      [JSON.stringify(rows)],
    );
  },
};
