import { z } from 'zod';
import { ValidationError, type FieldProblem } from '../errors.ts';
import { identityNames, type IgnoredParameter, type RestReply, type RestRequest } from './route.ts';
import { isStorable } from '../text.ts';
import { itemsOf } from './request-schema.ts';

/**
 * Reads the parameters of one REST request by the lenient rules of the documents (decisions P1 to P8): what can't be used is ignored and named in
 * `X-Ignored-Parameters`; with `Prefer: handling=strict` it is refused, all problems at once.
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
        if (seen.has(name)) this.ignore(name, 'is sent more than once: the first value counts');
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

  /** A filter that is one text: undefined when absent or empty. Text that no database can hold is kept, for it must match nothing (P3). */
  filterText(name: string): string | undefined {
    const value = this.text(name);
    return value ?? (this.#values.get(name) || undefined);
  }

  /** Was it sent at all, even empty or unusable? */
  sent(name: string): boolean {
    return this.#values.has(name);
  }

  /**
   * A parameter of a request's schema: undefined when absent or empty. A value that can't be used is ignored (P2). Of a comma list the items that can be used; empty when
   * it was sent and none can, which matches nothing (P3).
   */
  get<Shape extends Readonly<Record<string, z.ZodType>>, Name extends keyof Shape & string>(
    schema: z.ZodObject<Shape>,
    name: Name,
  ): z.output<Shape[Name]> | undefined {
    const type: Shape[Name] = schema.shape[name];
    if (itemsOf(type)) {
      const usable = this.#usableItems(name, type);
      return usable && z.safeParse(type, usable).data;
    }
    const text = this.text(name);
    if (text === undefined) return undefined;
    const read = z.safeParse(type, text.trim());
    if (read.success) return read.data;
    this.ignore(name, read.error.issues[0]?.message ?? 'can not be used');
    this.#defaulted.add(name);
    return undefined;
  }

  /** The items of a comma list that can be used; undefined when it is absent or empty. */
  #usableItems(name: string, list: z.ZodType): string[] | undefined {
    this.#read.add(name);
    const value = this.#values.get(name);
    const item = itemsOf(list);
    if (value === undefined || value === '' || !item) return undefined;
    const given = value.split(',').map((token) => token.trim());
    const usable = given.filter(
      (token) => token !== '' && isStorable(token) && item.type.safeParse(token).success,
    );
    if (usable.length < given.length) this.ignore(name, `every item must be ${item.expected}`);
    return usable;
  }

  /** A parameter that the document itself ignores here: named to the client, but no fault in strict handling. */
  documentedAsIgnored(name: string): void {
    this.#read.add(name);
    if (this.#values.has(name)) this.#idle.add(name);
  }

  /** Marks a parameter as ignored, wholly or in part. */
  ignore(name: string, reason: string): void {
    if (!this.#ignored.has(name)) this.#ignored.set(name, reason);
  }

  /** To be called when everything was read: in strict handling, throws E900 with every problem. */
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

  /** What does not count, or not as it was sent, and why. */
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

  /** The headers that tell what was ignored (P8). */
  headers(): NonNullable<RestReply['headers']> {
    return ignoredHeaders([...this.#ignored.keys(), ...this.#idle], this.#strict);
  }
}

/** The headers that tell what was ignored, and that strict handling was applied (P8). */
export function ignoredHeaders(
  ignored: readonly string[],
  strict: boolean,
): NonNullable<RestReply['headers']> {
  const names = ignored.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, 50);
  return {
    ...(names.length > 0 && { 'x-ignored-parameters': names.join(', ') }),
    ...(strict && { 'preference-applied': 'handling=strict' }),
  };
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

/** A non-negative integer of at most 2^53-1, such as epoch milliseconds; undefined otherwise. */
export function parseInt64(text: string): number | undefined {
  return /^\d{1,16}$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER
    ? Number(text)
    : undefined;
}
