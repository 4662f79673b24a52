import { isStorable } from '../../../core/text.ts';
import { scimError } from './scim-error.ts';

/** A text; null for what is empty. Throws invalidValue. */
export function readText(path: string, value: unknown, max: number): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > max || !isStorable(value))
    throw scimError('INVALID_VALUE', `${path} must be a text of at most ${max} characters`);
  return value.trim() === '' ? null : value;
}

/** A member of an object, however the case of its name. */
export function pick(object: object, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}
