import { isLonger } from '../../../core/text.ts';
import { refusal } from '../../envelope/dataset-errors.ts';

/**
 * The base name of a file as it is stored: no folders, no control or direction characters, at most 255 characters
 * (D-68). Throws ValidationError.
 */
export function cleanFileName(given: string | undefined): string {
  const name = (given ?? '')
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  if (name === '' || /^\.+$/.test(name)) throw refusal('FILE_NAME_REQUIRED', 'FileName');
  if (isLonger(name, 255))
    throw refusal('NAME_TOO_LONG', 'FileName', 'FileName has more than 255 characters');
  return name;
}
