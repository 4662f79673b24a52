import { canonicalName } from './attribute-path.ts';
import { scimError } from './scim-error.ts';

export type Operator = 'eq' | 'co' | 'sw' | 'ew' | 'pr';

/** One comparison; `pr` (is there a value?) has none. */
export interface Term {
  /** Canonical, e.g. `name.givenname`. */
  path: string;
  op: Operator;
  value: string | boolean;
}

/** A filter: comparisons joined by `and` and `or`. */
export type Filter = Term | { all: readonly Filter[] } | { any: readonly Filter[] };

/** A path of PATCH: `members[value eq "7"]`, `emails[type eq "work"].value`. */
export interface PatchPath {
  /** Canonical, with the sub-attribute. */
  path: string;
  /** Which values of the attribute, by canonical paths. */
  which?: Filter;
}

const MAX_LENGTH = 2_000;
const MAX_TERMS = 30;
const MAX_DEPTH = 10;

const token =
  /\s*(?:(?<string>"(?:[^"\\]|\\.)*")|(?<word>[A-Za-z$][\w$:.-]*)|(?<mark>[()[\]])|(?<sub>\.[A-Za-z$][\w$-]*))/y;

/** Reads a filter (RFC 7644, 3.4.2.2): eq, co, sw, ew, pr, and, or, brackets. Throws invalidFilter. */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text);
  const filter = reader.any('', 0);
  reader.end();
  return filter;
}

/** Reads a path of PATCH. Throws invalidPath. */
export function parsePatchPath(text: string): PatchPath {
  try {
    const reader = new Reader(text);
    const found = reader.path();
    reader.end();
    return found;
  } catch {
    throw scimError('INVALID_PATH', 'path is not understood');
  }
}

class Reader {
  readonly #tokens: string[];
  #at = 0;
  #terms = 0;

  constructor(text: string) {
    if (text.length > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} characters`);
    this.#tokens = tokensOf(text);
  }

  any(prefix: string, depth: number): Filter {
    return this.#joined('or', () => this.#joined('and', () => this.#factor(prefix, depth)));
  }

  path(): PatchPath {
    const path = canonicalName(this.#word());
    if (!this.#take('[')) return { path };
    const which = this.any(`${path}.`, 1);
    this.#expect(']');
    return { path: path + this.#sub(), which };
  }

  end(): void {
    if (this.#at < this.#tokens.length) refuse('has something after its end');
  }

  #joined(word: 'and' | 'or', next: () => Filter): Filter {
    const first = next();
    const more: Filter[] = [];
    while (this.#take(word)) more.push(next());
    if (more.length === 0) return first;
    return word === 'and' ? { all: [first, ...more] } : { any: [first, ...more] };
  }

  #factor(prefix: string, depth: number): Filter {
    if (depth > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    if (this.#take('(')) {
      const inner = this.any(prefix, depth + 1);
      this.#expect(')');
      return inner;
    }
    const path = prefix + canonicalName(this.#word());
    if (!this.#take('[')) return this.#comparison(path);
    const which = this.any(`${path}.`, depth + 1);
    this.#expect(']');
    const sub = this.#sub();
    return sub === '' ? which : { all: [which, this.#comparison(path + sub)] };
  }

  #comparison(path: string): Term {
    if (++this.#terms > MAX_TERMS) refuse(`has more than ${MAX_TERMS} comparisons`);
    const op = this.#word().toLowerCase();
    if (op === 'pr') return { path, op, value: true };
    if (op !== 'eq' && op !== 'co' && op !== 'sw' && op !== 'ew')
      return refuse('compares only with eq, co, sw, ew and pr');
    return { path, op, value: valueOf(this.#next()) };
  }

  #sub(): string {
    const next = this.#tokens[this.#at];
    if (next?.startsWith('.') !== true) return '';
    this.#at++;
    return next.toLowerCase();
  }

  #word(): string {
    const word = this.#next();
    return /^[A-Za-z$]/.test(word) ? word : refuse('lacks the name of an attribute');
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? refuse('ends too early');
  }

  #take(expected: string): boolean {
    const found = this.#tokens[this.#at]?.toLowerCase() === expected;
    if (found) this.#at++;
    return found;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) refuse(`lacks a ${mark}`);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  for (token.lastIndex = 0; token.lastIndex < end;) {
    const found = token.exec(text);
    if (!found) return refuse('is not understood');
    tokens.push(found[0].trimStart());
  }
  return tokens;
}

function valueOf(text: string): string | boolean {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (!text.startsWith('"'))
    return refuse('compares with a text in double quotes, or true or false');
  try {
    return String(JSON.parse(text));
  } catch {
    return refuse('has a text that is not valid');
  }
}

function refuse(why: string): never {
  throw scimError('INVALID_FILTER', `filter ${why}`);
}
