import { signedIn } from '../../auth/guards.ts';
import {
  mutation,
  mutationInput,
  mutationPayload,
  type InputBuilder,
} from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import type { CalendarNote, MonthlyNote } from './list-notes.ts';
import { CalendarNoteRef, MonthlyNoteRef } from './schema.ts';
import { setCalendarNote } from './set-calendar-note.ts';
import { setMonthlyNote } from './set-monthly-note.ts';

const removed = 'The note, or null if it was removed.';

const noteFields = (t: InputBuilder) => ({
  notesId: t.field({
    type: 'SafeInt',
    description: 'Number of the note to change or remove; omit it for a new note.',
  }),
  note: t.string({
    description: 'Text of at most 2,000 characters; null or blank text removes the note.',
  }),
});

const SetCalendarNoteInput = mutationInput('SetCalendarNoteInput', {
  description: 'A note of your own on a day.',
  fields: (t) => ({
    ...noteFields(t),
    date: t.field({
      type: 'LocalDate',
      required: true,
      description: 'Day of the note.',
    }),
  }),
});

const SetCalendarNotePayload = mutationPayload<{ note: CalendarNote | null }>(
  'SetCalendarNotePayload',
  {
    description: 'Result of setting a note.',
    fields: (t) => ({
      note: t.expose('note', { type: CalendarNoteRef, nullable: true, description: removed }),
    }),
  },
);

mutation('setCalendarNote', {
  description:
    'Adds, changes or removes your note on a day of the leadership calendar; a day has 50 at most.',
  input: SetCalendarNoteInput,
  inputIs: 'Day and text.',
  payload: SetCalendarNotePayload,
  failures: [ValidationError, NotFoundError],
  resolve: async (input, ctx) => ({ note: await setCalendarNote(signedIn(ctx), input) }),
});

const SetMonthlyNoteInput = mutationInput('SetMonthlyNoteInput', {
  description: 'A note for a month.',
  fields: (t) => ({
    ...noteFields(t),
    year: t.int({ required: true, description: 'Year of the note, four digits.' }),
    month: t.int({ required: true, description: 'Month of the note, 1 to 12.' }),
    forEveryone: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Whether everybody in the domain is to see the note, which needs the permission DOMAIN_ADMIN, or only you.',
    }),
  }),
});

const SetMonthlyNotePayload = mutationPayload<{ note: MonthlyNote | null }>(
  'SetMonthlyNotePayload',
  {
    description: 'Result of setting a note.',
    fields: (t) => ({
      note: t.expose('note', { type: MonthlyNoteRef, nullable: true, description: removed }),
    }),
  },
);

mutation('setMonthlyNote', {
  description: 'Adds, changes or removes a note for a month of the leadership calendar.',
  input: SetMonthlyNoteInput,
  inputIs: 'Month and text.',
  payload: SetMonthlyNotePayload,
  failures: [ValidationError, NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({ note: await setMonthlyNote(signedIn(ctx), input) }),
});
