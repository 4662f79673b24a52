import * as z from 'zod';
import { AppError, ValidationError, type FieldProblem } from '../errors.ts';
import { identityNames, type IgnoredParameter, type RestReply, type RestRequest } from './route.ts';
import { isStorable } from '../text.ts';
import { itemsOf } from './parameter-values.ts';

/** Texts that are remembered of a schema, and how long each may be. */
const MOST_TEXTS = 200;
const LONGEST_TEXT = 64;

/** Why a parameter of a query is ignored in part. */
export const AFTER_THE_FIRST = 'is sent more than once: the first value counts';

const parsed = new WeakMap<z.ZodType, Map<string, unknown>>();

/**
 * What a schema says of a text. The same few texts come with every request: they are remembered, so results must not be
 * changed.
 */
function parseOnce<Type extends z.ZodType>(
  type: Type,
  text: string,
  value: unknown = text,
): z.ZodSafeParseResult<z.output<Type>> {
  let known = parsed.get(type);
  if (!known) parsed.set(type, (known = new Map<string, unknown>()));
  // What is kept of a schema is what the same schema said.
  const before = known.get(text) as z.ZodSafeParseResult<z.output<Type>> | undefined;
  if (before) return before;
  const read = z.safeParse(type, value);
  if (text.length > LONGEST_TEXT) return read;
  if (known.size >= MOST_TEXTS) known.clear();
  known.set(text, read);
  return read;
}

/**
 * Reads the parameters of one REST request by the lenient rules of the API documents (P1 to P8 of docs/decisions.md):
 * unusable values are ignored and named in `X-Ignored-Parameters`; with `Prefer: handling=strict` the request is
 * refused, with all problems at once.
 */
export class ParameterReader {
  readonly #values = new Map<string, string>();
  readonly #read = new Set<string>();
  readonly #ignored = new Map<string, string>();
  readonly #defaulted = new Set<string>();
  readonly #idle = new Set<string>();
  readonly #strict: boolean;

  /** Later sources win: pass query first, then the body (D-82). */
  constructor(request: Pick<RestRequest, 'headers'>, ...sources: Iterable<[string, string]>[]) {
    this.#strict = prefersStrict(request);
    for (const source of sources) {
      const seen = new Set<string>();
      for (const [name, value] of source) {
        if (seen.has(name)) this.ignore(name, AFTER_THE_FIRST);
        else this.#values.set(name, value);
        seen.add(name);
      }
    }
  }

  /** The value; undefined when absent or empty. Text that no database can hold (NUL, lone surrogates) counts as unusable. */
  text(name: string): string | undefined {
    this.#read.add(name);
    const value = this.#values.get(name);
    if (value === undefined || value === '') return undefined;
    if (isStorable(value)) return value;
    this.ignore(name, 'holds characters that can not be used');
    return undefined;
  }

  /**
   * The value as sent, for what must not be dropped: undefined when absent or empty. Text that no database can hold is
   * named as unusable, but kept: a filter matches nothing then (P3), a cursor is refused (P5).
   */
  sentText(name: string): string | undefined {
    const value = this.text(name);
    return value ?? (this.#values.get(name) || undefined);
  }

  /** Was it sent at all, even empty or unusable? */
  sent(name: string): boolean {
    return this.#values.has(name);
  }

  /** A parameter of the request's schema: see `value`. */
  get<Shape extends Readonly<Record<string, z.ZodType>>, Name extends keyof Shape & string>(
    schema: z.ZodObject<Shape>,
    name: Name,
  ): z.output<Shape[Name]> | undefined {
    const type: Shape[Name] = schema.shape[name];
    return this.value(name, type);
  }

  /**
   * A value of this type: undefined when absent or empty. An unusable value is ignored (P2). A comma list yields its
   * usable items; if it was sent without any, it is empty and matches nothing (P3). Throws E900 for a list that is too long.
   */
  value<Type extends z.ZodType>(name: string, type: Type): z.output<Type> | undefined {
    if (itemsOf(type)) {
      const usable = this.#usableItems(name, type);
      return usable && parseOnce(type, usable.join(), usable).data;
    }
    const text = this.text(name);
    if (text === undefined) return undefined;
    const read = parseOnce(type, text.trim());
    if (read.success) return read.data;
    this.ignore(name, read.error.issues[0]?.message ?? 'can not be used');
    this.#defaulted.add(name);
    return undefined;
  }

  /** The usable items of a comma list; undefined when it is absent or empty. */
  #usableItems(name: string, list: z.ZodType): string[] | undefined {
    this.#read.add(name);
    const value = this.#values.get(name);
    const item = itemsOf(list);
    if (value === undefined || value === '' || !item) return undefined;
    // Each once, and bounded before any is read: a body may hold half a million.
    const given = new Set(value.split(',').map((token) => token.trim()));
    if (given.size > item.most)
      throw new AppError('E900', { message: `${name}: at most ${item.most} values` });
    const usable = [...given].filter(
      (token) => token !== '' && isStorable(token) && parseOnce(item.type, token).success,
    );
    if (usable.length < given.size) this.ignore(name, `every item must be ${item.expected}`);
    return usable;
  }

  /**
   * A parameter that is ignored here by the document itself: the client is told, but it is not an error in strict
   * handling.
   */
  documentedAsIgnored(name: string): void {
    this.#read.add(name);
    if (this.#values.has(name)) this.#idle.add(name);
  }

  /** Marks a parameter as ignored, wholly or in part. */
  ignore(name: string, reason: string): void {
    if (!this.#ignored.has(name)) this.#ignored.set(name, reason);
  }

  /** To be called after everything was read: in strict handling, throws E900 with every problem. */
  finish(): void {
    for (const name of this.#values.keys()) {
      if (identityNames.has(name)) this.#idle.add(name);
      else if (!this.#read.has(name)) this.ignore(name, 'is not a parameter of this operation');
    }
    if (!this.#strict) return;
    const problems: FieldProblem[] = [...this.#ignored].map(([name, message]) => ({
      path: [name],
      message,
      code: 'INVALID_PARAMETER',
    }));
    if (problems.length > 0) throw new ValidationError(problems);
  }

  /** What was ignored, wholly or in part, and why. */
  ignored(): IgnoredParameter[] {
    const idle = [...this.#idle].map((name) => ({
      name,
      reason: identityNames.has(name)
        ? 'comes from the session, never from the client'
        : 'plays no part here',
      defaulted: false,
    }));
    return [
      ...[...this.#ignored].map(([name, reason]) => ({
        name,
        reason,
        defaulted: this.#defaulted.has(name),
      })),
      ...idle,
    ];
  }

  /** Headers that name what was ignored (P8). */
  headers(): NonNullable<RestReply['headers']> {
    return ignoredHeaders([...this.#ignored.keys(), ...this.#idle], this.#strict);
  }
}

/** The header of a reply to a request that was handled strictly, be it refused or not (P8, RFC 7240). */
export const STRICT = { 'preference-applied': 'handling=strict' };

/** Headers that name what was ignored, and whether strict handling was applied (P8). */
export function ignoredHeaders(
  ignored: readonly string[],
  strict: boolean,
): NonNullable<RestReply['headers']> {
  const names = namesInHeader(ignored);
  return {
    ...(names && { 'x-ignored-parameters': names }),
    ...(strict && STRICT),
  };
}

/** Names as the value of a header; without those that one can't hold, or that would look like several. */
export function namesInHeader(names: readonly string[]): string {
  return names
    .filter((name) => /^[!-+\--~]{1,64}$/.test(name))
    .slice(0, 50)
    .join(', ');
}

/** Does the request ask for `Prefer: handling=strict` (P8, RFC 7240)? */
export function prefersStrict(request: Pick<RestRequest, 'headers'>): boolean {
  return /(^|[,;\s])handling\s*=\s*"?strict"?/i.test(String(request.headers['prefer'] ?? ''));
}

/** An integer within 32 bits; undefined otherwise. */
export function parseInt32(text: string): number | undefined {
  return /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) <= 2_147_483_647
    ? Number(text)
    : undefined;
}

/**
 * Epoch milliseconds from 0; undefined otherwise. What an int64 can hold beyond 2^53-1, in the year 287396, is that: no
 * time comes after it.
 */
export function parseInstant(text: string): number | undefined {
  return /^\d{1,19}$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
}

/** A non-negative integer of at most 2^53-1, such as a key; undefined otherwise. */
export function parseInt64(text: string): number | undefined {
  return /^\d{1,16}$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER
    ? Number(text)
    : undefined;
}
