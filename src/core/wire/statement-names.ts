import { hash } from 'node:crypto';

/**
 * Most names of each kind, so that no client can fill the server's memory with prepared statements: each connection has
 * up to 500.
 */
const MOST = 350;
const MOST_LASTING = 150;

/** The name under which connections prepare a text. It may be another text's later: then a connection closes it first. */
export interface StatementName {
  readonly name: string;
  readonly text: string;
}

interface Place {
  given: StatementName;
  /** Whether it was asked for since a name was looked for last. */
  used: boolean;
}

/**
 * Names for the statements that come most. While there are places each text gets one; then one that comes again takes
 * the place of a text that has not come since others looked for a place. So who sends many rare statements takes no name
 * from those in use, and whoever comes late still gets one.
 */
export class StatementNames {
  readonly #most: number;
  readonly #places: Place[] = [];
  readonly #byText = new Map<string, Place>();
  /** Texts without a name that came once. */
  readonly #seen = new Set<string>();
  #hand = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined: the text is not prepared this time. */
  nameOf(text: string): StatementName | undefined {
    const known = this.#byText.get(text);
    if (known) {
      known.used = true;
      return known.given;
    }
    if (this.#places.length < this.#most) {
      const place = { given: { name: `t${this.#places.length}`, text }, used: true };
      this.#places.push(place);
      this.#byText.set(text, place);
      return place.given;
    }
    if (this.#seen.delete(text)) return this.#giveAway(text);
    if (this.#seen.size >= this.#most) this.#seen.clear();
    this.#seen.add(text);
    return undefined;
  }

  #giveAway(text: string): StatementName | undefined {
    for (;;) {
      const place = this.#places[this.#hand];
      if (!place) return undefined;
      this.#hand = (this.#hand + 1) % this.#most;
      if (!place.used) {
        this.#byText.delete(place.given.text);
        this.#byText.set(text, place);
        place.given = { name: place.given.name, text };
        place.used = true;
        return place.given;
      }
      place.used = false;
    }
  }
}

const names = new StatementNames(MOST);

/** See StatementNames. */
export const statementName = (text: string): StatementName | undefined => names.nameOf(text);

const lasting = new Map<string, string>();

/** A name that is never another text's, as queries of `pg` need it; undefined once there are as many as there may be. */
export function lastingName(text: string): string | undefined {
  let name = lasting.get(text);
  if (name === undefined && lasting.size < MOST_LASTING) {
    name = `p${hash('sha256', text).slice(0, 16)}`;
    lasting.set(text, name);
  }
  return name;
}
