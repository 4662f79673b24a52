import { invalidField } from '../../core/errors.ts';
import { isLonger, isStorable } from '../../core/text.ts';

/** Longest note, in characters. */
const MAX_NOTE = 2_000;
/** Notes that a user may have on one day, and a user or a domain for one month. */
const MAX_NOTES = 50;

/** Arguments common to all notes. */
export interface NoteArgs {
  /** A note to change; absent for a new one. */
  notesId?: number | null | undefined;
  /** Null, undefined or blank text removes the note. */
  note?: string | null | undefined;
}

/** The text of a note; null to remove one. */
export function readNote({ notesId, note }: NoteArgs): string | null {
  const refuse = (message: string, code: string): never => {
    throw invalidField('note', message, code);
  };
  if (note == null || note.trim() === '')
    return notesId == null ? refuse('is required for a new note', 'REQUIRED') : null;
  if (isLonger(note, MAX_NOTE)) return refuse(`is longer than ${MAX_NOTE} characters`, 'TOO_LONG');
  return isStorable(note) ? note : refuse("holds characters that can't be stored", 'UNSTORABLE');
}

/** Throws ValidationError where there are as many notes as there may be. */
export function requireRoom(notes: number, field: 'date' | 'month'): void {
  if (notes >= MAX_NOTES)
    throw invalidField(field, `has ${MAX_NOTES} notes already: change or remove one`, 'TOO_MANY');
}
