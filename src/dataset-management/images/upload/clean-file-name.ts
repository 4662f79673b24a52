import { isLonger } from '../../../core/text.ts';
import { refusal } from '../../envelope/dataset-errors.ts';

const LONGEST = 255;

/**
 * The base name of a file as it is stored: no folders, no control or direction characters, at most 255 characters
 * (D-68). Throws ValidationError.
 */
export function cleanFileName(given: string | undefined): string {
  const name = baseName(given);
  if (isEmpty(name)) throw refusal('FILE_NAME_REQUIRED', 'FileName');
  if (isLonger(name, LONGEST))
    throw refusal('NAME_TOO_LONG', 'FileName', `FileName has more than ${LONGEST} characters`);
  return name;
}

/** `cleanFileName` takes it. */
export function isFileName(given: string | undefined): given is string {
  const name = baseName(given);
  return !isEmpty(name) && !isLonger(name, LONGEST);
}

function baseName(given = ''): string {
  return given
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}

function isEmpty(name: string): boolean {
  return /^\.*$/.test(name);
}
