import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import type { Context } from '../../core/context/context.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import '../../core/graphql/user-errors.ts';
import type { CalendarNote, MonthlyNote } from './list-notes.ts';
import { CalendarNoteRef, MonthlyNoteRef } from './schema.ts';
import { setCalendarNote } from './set-calendar-note.ts';
import { setMonthlyNote } from './set-monthly-note.ts';

const removed = 'The note, or null if it was removed.';
const clientMutationId = 'The clientMutationId of the input; null if none was sent.';

const SetCalendarNoteInput = builder.inputType('SetCalendarNoteInput', {
  description: 'A note of your own on a day.',
  fields: (t) => ({
    notesId: t.field({
      type: 'SafeInt',
      description: 'Number of the note to change or remove; omit it for a new note.',
    }),
    date: t.field({
      type: 'LocalDate',
      required: true,
      description: 'Day of the note.',
    }),
    note: t.string({
      description: 'Text of at most 2,000 characters; null or blank text removes the note.',
    }),
    clientMutationId: t.string({
      description: 'Text of your choice, returned unchanged in the payload.',
    }),
  }),
});

const SetCalendarNotePayload = builder
  .objectRef<{ note: CalendarNote | null; clientMutationId: string | null | undefined }>(
    'SetCalendarNotePayload',
  )
  .implement({
    description: 'Result of setting a note.',
    fields: (t) => ({
      note: t.expose('note', { type: CalendarNoteRef, nullable: true, description: removed }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: clientMutationId,
      }),
    }),
  });

builder.mutationField('setCalendarNote', (t) =>
  t.field({
    type: SetCalendarNotePayload,
    description:
      'Adds, changes or removes your note on a day of the leadership calendar; a day has 50 at most.',
    errors: {
      types: [ValidationError, NotFoundError],
      union: { name: 'SetCalendarNoteResult', description: 'Outcome of setCalendarNote.' },
    },
    args: {
      input: t.arg({ type: SetCalendarNoteInput, required: true, description: 'Day and text.' }),
    },
    resolve: async (_, { input }, ctx: Context) => ({
      note: await setCalendarNote(signedIn(ctx), input),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const SetMonthlyNoteInput = builder.inputType('SetMonthlyNoteInput', {
  description: 'A note for a month.',
  fields: (t) => ({
    notesId: t.field({
      type: 'SafeInt',
      description: 'Number of the note to change or remove; omit it for a new note.',
    }),
    year: t.int({ required: true, description: 'Year of the note, four digits.' }),
    month: t.int({ required: true, description: 'Month of the note, 1 to 12.' }),
    note: t.string({
      description: 'Text of at most 2,000 characters; null or blank text removes the note.',
    }),
    forEveryone: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Whether everybody in the domain is to see the note, which needs the permission DOMAIN_ADMIN, or only you.',
    }),
    clientMutationId: t.string({
      description: 'Text of your choice, returned unchanged in the payload.',
    }),
  }),
});

const SetMonthlyNotePayload = builder
  .objectRef<{ note: MonthlyNote | null; clientMutationId: string | null | undefined }>(
    'SetMonthlyNotePayload',
  )
  .implement({
    description: 'Result of setting a note.',
    fields: (t) => ({
      note: t.expose('note', { type: MonthlyNoteRef, nullable: true, description: removed }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: clientMutationId,
      }),
    }),
  });

builder.mutationField('setMonthlyNote', (t) =>
  t.field({
    type: SetMonthlyNotePayload,
    description: 'Adds, changes or removes a note for a month of the leadership calendar.',
    errors: {
      types: [ValidationError, NotFoundError, ForbiddenError],
      union: { name: 'SetMonthlyNoteResult', description: 'Outcome of setMonthlyNote.' },
    },
    args: {
      input: t.arg({ type: SetMonthlyNoteInput, required: true, description: 'Month and text.' }),
    },
    resolve: async (_, { input }, ctx: Context) => ({
      note: await setMonthlyNote(signedIn(ctx), input),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
