import { ValidationError, type FieldProblem } from '../../core/errors.ts';
import type { IgnoredParameter, RequestFacts, RouteParameter } from '../../core/rest/route.ts';
import { isStorable } from '../../core/text.ts';
import type { DatasetErrorCode } from './error-codes.ts';

/** A required id in the query or the body. */
export function idParameter(
  where: 'query' | 'body',
  name: string,
  description: string,
): RouteParameter {
  return {
    name,
    in: where,
    required: true,
    schema: { type: 'string', format: 'uuid' },
    description,
  };
}

/** A required text in the body. */
export function textParameter(
  name: string,
  description: string,
  bounds: { minLength?: number; maxLength?: number } = {},
  example?: string,
): RouteParameter {
  return {
    name,
    in: 'body',
    required: true,
    schema: { type: 'string', ...bounds },
    description,
    ...(example !== undefined && { example }),
  };
}

/** Reads the query or body of one request by name, whatever its case, and gathers every problem. */
export class InputReader {
  readonly #values: Map<string, unknown>;
  readonly #problems: FieldProblem[] = [];
  readonly #read = new Set<string>();

  constructor(entries: Iterable<readonly [string, unknown]>) {
    this.#values = new Map(
      [...entries].reverse().map(([name, value]) => [name.toLowerCase(), value]),
    );
  }

  /** A UUID in lower case with hyphens; `missing` is the code for an absent one. */
  id(name: string, missing: DatasetErrorCode = 'INVALID_ID'): string {
    const value = this.#get(name);
    if (value === undefined || value === null || value === '')
      return this.#refuse(missing, name, 'is required');
    return (
      (typeof value === 'string' ? parseUuid(value) : undefined) ??
      this.#refuse('INVALID_ID', name, 'is not a UUID')
    );
  }

  /** Text; `undefined` when absent. */
  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && isStorable(value)) return value;
    return this.#refuse('VALIDATION_ERROR', name, 'is not usable text');
  }

  /** Text that must be there, if only empty. */
  requiredText(name: string): string {
    return this.text(name) ?? this.#refuse('VALIDATION_ERROR', name, 'is required');
  }

  /** An integer of a range; `code` when it is absent or anything else. */
  integer(name: string, min: number, max: number, code: DatasetErrorCode): number {
    const text = this.#get(name);
    const value =
      typeof text === 'string' && /^[+-]?\d{1,10}$/.test(text.trim()) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.#refuse(code, name, `must be an integer from ${min} to ${max}`);
    return min;
  }

  /** To be called when everything was read: throws ValidationError with all problems. */
  finish(): void {
    if (this.#problems.length > 0)
      throw new ValidationError(
        this.#problems,
        this.#problems.map(({ message }) => message).join('; '),
      );
  }

  /** What was sent and not read. */
  ignored(): IgnoredParameter[] {
    return [...this.#values.keys()]
      .filter((name) => !this.#read.has(name))
      .map((name) => ({ name, reason: 'is not a parameter of this operation', defaulted: false }));
  }

  #get(name: string): unknown {
    this.#read.add(name.toLowerCase());
    return this.#values.get(name.toLowerCase());
  }

  #refuse(code: DatasetErrorCode, name: string, reason: string): '' {
    this.#problems.push({ path: [name], message: `${name} ${reason}`, code });
    return '';
  }
}

/** A UUID with or without hyphens, in any case, as PostgreSQL prints it. */
export function parseUuid(text: string): string | undefined {
  const digits = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i.test(text)
    ? text.replaceAll('-', '').toLowerCase()
    : undefined;
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What a route takes of a request, and what was sent besides. */
export interface Taken<T> {
  args: T;
  ignored: IgnoredParameter[];
}

/** Takes the arguments of a route out of the query. Throws ValidationError with all problems. */
export function takeQuery<T>(request: RequestFacts, take: (input: InputReader) => T): Taken<T> {
  return takeFrom(new InputReader(request.query), take);
}

/** The same out of the body: a JSON object, or a form. */
export async function takeBody<T>(
  request: RequestFacts,
  take: (input: InputReader) => T,
): Promise<Taken<T>> {
  const body = await request.body();
  const entries =
    body.kind === 'form'
      ? body.form
      : typeof body.json === 'object' && body.json !== null
        ? Object.entries(body.json)
        : [];
  return takeFrom(new InputReader(entries), take);
}

function takeFrom<T>(input: InputReader, take: (input: InputReader) => T): Taken<T> {
  const args = take(input);
  input.finish();
  return { args, ignored: input.ignored() };
}
