import * as z from 'zod';
import { foldLogin, isLonger, isStorable } from '../text.ts';
import { isTimeZone } from '../time/is-time-zone.ts';

/** Text of an import record: storable, at most `max` characters. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .check(({ value, issues }) => {
      const message = `is longer than ${max} characters`;
      const issue = { code: 'too_big', origin: 'string', maximum: max, message } as const;
      if (isLonger(value, max)) issues.push({ ...issue, input: value, continue: true });
    })
    .refine(isStorable, 'holds a NUL or half a surrogate pair')
    .meta({ maxLength: max });
}

/** Text that is not blank. */
export function filledText(max: number): z.ZodString {
  // Nothing else is said of what is blank.
  const blank = { error: 'is blank', abort: true };
  return text(max)
    .min(1, blank)
    .refine((value) => value.trim() !== '', blank);
}

/** Name of a domain, unit, department or profile. */
export const nameField = filledText(200);

/** A user's login, compared without regard to case. */
export const loginField = filledText(200)
  .regex(/^\S+$/, 'must not hold spaces')
  .transform(foldLogin);

/** A flag as the REST bodies write it: 0/1, or a boolean. */
export const flagField = z
  .union([z.boolean(), z.literal(0), z.literal(1)], 'expected 0, 1, true or false')
  .transform((value) => value === true || value === 1);

export const timeZoneField = filledText(64)
  .refine(isTimeZone, 'is not an IANA time zone')
  .meta({ description: 'IANA id, e.g. Europe/Berlin.' });

/** A language code. */
export const langCodeField = text(35).regex(
  /^[A-Za-z0-9-]+$/,
  'expected a language code such as en',
);

export const permissionsField = z
  .array(filledText(100).regex(/^[A-Z][A-Z0-9_]*$/, 'expected upper case, e.g. SMART_SEARCH'))
  .max(100)
  .meta({ description: 'Replaces the permissions given before.' });

const MAX_DEPTH = 32;

/** A JSON object of any shape that PostgreSQL can store. */
export const jsonObjectField = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => isStorableJson(value, 0),
    `is nested deeper than ${MAX_DEPTH} or holds text that can't be stored`,
  );

/** Can PostgreSQL store it as jsonb? That needs bounded depth, finite numbers and storable text. */
function isStorableJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  return Object.entries(value).every(
    ([key, item]) => isStorable(key) && isStorableJson(item, depth + 1),
  );
}
