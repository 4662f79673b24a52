import * as z from 'zod';
import { isLonger, isStorable } from '../../../core/text.ts';

const text = (most: number) =>
  z.string().refine((value) => !isLonger(value, most) && isStorable(value));

/** What is said of an annotation besides its class and geometry, by name: `{"occluded": true, "colour": "red"}`. */
export const attributesSchema = z
  .record(
    text(100).refine((name) => name.trim() !== ''),
    z.union([text(1000), z.number(), z.boolean()]),
  )
  .refine((value) => Object.keys(value).length <= 50);
export type Attributes = z.infer<typeof attributesSchema>;

/** What they are, in words. */
export const attributesForm =
  'at most 50 names of 1 to 100 characters, each with a text of at most 1,000 characters, a number, true or false';

/** The problem with an annotation's attributes; undefined if there is none. */
export function attributesFault(value: unknown): string | undefined {
  if (value == null) return undefined;
  // The schema would leave it out.
  if (typeof value === 'object' && Object.hasOwn(value, '__proto__'))
    return 'attributes can not be named __proto__';
  return attributesSchema.safeParse(value).success ? undefined : `attributes are ${attributesForm}`;
}

/** As they are stored: null rather than empty. */
export function storedAttributes(value: unknown): Attributes | null {
  const attributes = value == null ? {} : attributesSchema.parse(value);
  return Object.keys(attributes).length > 0 ? attributes : null;
}
