import * as z from 'zod';
import type { ValueSchema } from './route.ts';

/** A value that a function parses from text; `expected` completes the sentence "must be …". */
export function valueOf<Value>(
  parse: (text: string) => Value | undefined,
  expected: string,
  schema: ValueSchema = { type: 'string' },
): z.ZodType<Value, string> {
  return z
    .string()
    .transform((text, issues) => {
      const value = parse(text);
      if (value !== undefined) return value;
      issues.addIssue({ code: 'custom', message: `must be ${expected}` });
      return z.NEVER;
    })
    .meta({ ...schema });
}

/** Why a value can't be used. */
export class Fault {
  readonly message: string;
  /** Overrides the code in the parameter's table. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    this.message = message;
    this.code = code;
  }
}

/** A value that a function reads from what was sent, of any type; undefined when nothing was. */
export function readBy<Value>(
  read: (value: unknown) => Value | Fault,
  schema: ValueSchema = { type: 'string' },
): z.ZodType<Value> {
  return z
    .unknown()
    .transform((given, issues) => {
      const value = read(given);
      if (!(value instanceof Fault)) return value;
      const { message, code } = value;
      issues.addIssue({ code: 'custom', message, params: { code } });
      return z.NEVER;
    })
    .meta({ ...schema });
}

/** One of these texts, exactly as written. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  schema: ValueSchema = {},
): z.ZodType<Value, string> {
  const parse = (text: string): Value | undefined => values.find((value) => value === text);
  return valueOf(parse, values.join(', ').replace(/, ([^,]*)$/, ' or $1'), {
    type: 'string',
    enum: [...values],
    ...schema,
  });
}

/** Most different values in a comma list: the days of three years, and more than a domain has types, tags or departments. */
const MOST_VALUES = 1_096;

/** How an item of a comma list is parsed, what it must be, and how many different ones there may be. */
interface Item {
  type: z.ZodType<unknown, string>;
  expected: string;
  most: number;
}

const items = new WeakMap<z.ZodType, Item>();

/** A comma list whose items a function parses. Only usable items are kept. */
export function listOf<Value>(
  parse: (text: string) => Value | undefined,
  expected: string,
  most = MOST_VALUES,
): z.ZodType<Value[], string[]> {
  const type = valueOf(parse, expected);
  const list = z.array(type);
  items.set(list, { type, expected, most });
  return list;
}

/** The item type of a comma list. */
export function itemsOf(type: z.ZodType): Item | undefined {
  return items.get(type);
}
