import * as z from 'zod';
import { isStorable } from '../../../core/text.ts';
import { isoDay, parseDay } from '../../../core/time/days.ts';
import { feedStatusNames } from '../../terms/feed-status.ts';

// The types of the values of filters: codecs between what a system filter stores, which is GraphQL's names, and what an
// operation takes.

export const flag = z.boolean();
export const text = z
  .string()
  .max(1_000)
  .refine(isStorable, 'must not hold NUL or lone surrogates');
export const texts = z.array(text).max(1_000);
export const integers = z.array(z.int32()).max(1_000);
export const instant = z.int();
export const days = z
  .array(
    z.codec(z.string(), z.string(), {
      decode: (value, context) => {
        const day = /^\d{4}-\d\d-\d\d$/.test(value) && parseDay(value.replaceAll('-', ''));
        if (day) return day;
        context.issues.push({ code: 'custom', message: 'must be a day yyyy-MM-dd', input: value });
        return z.NEVER;
      },
      encode: isoDay,
    }),
  )
  .max(1_096);
export const statuses = z.array(named(feedStatusNames));
/** REST: view_type. */
export const view = named({ MY_VIEW: 'MV', DEPARTMENT_VIEW: 'DV', STORE_VIEW: 'SV' });
/** REST: task_view. P: top-level items; T: tasks (D-32). */
export const taskView = named({ PROJECT_VIEW: 'P', TASK_VIEW: 'T' });

/** How feed_listing stores "no priority" and "no type". A filter that names one of them matches nothing by it. */
export const NO_PRIORITY = 2_147_483_647;
const NO_TYPE = '\u{10FFFF}';

export const isPriority = (value: number): boolean => value !== NO_PRIORITY;
export const isType = (value: string): boolean => value !== NO_TYPE;

/** A documented code, by its GraphQL name. */
function named<const Code extends string>(names: Readonly<Record<string, Code>>) {
  return z.codec(z.enum(Object.keys(names)), z.enum(names), {
    decode: (name) => names[name] ?? z.NEVER,
    encode: (code) => Object.keys(names).find((name) => names[name] === code) ?? z.NEVER,
  });
}
