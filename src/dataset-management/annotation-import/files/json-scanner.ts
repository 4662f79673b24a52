import { FileFault } from './file-fault.ts';

/** A value of a JSON file whose outermost level is an object or an array, as bytes. */
export interface JsonItem {
  /** The member that it is in; null where the outermost level is an array. */
  member: string | null;
  /** Whether it is one of an array, or the value of the member itself. */
  element: boolean;
  /** Where it is in the file. */
  offset: number;
  bytes: Buffer;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** What one value may have at most: bytes, and arrays and objects, which take many times their bytes when they are parsed. */
export interface MostOfValue {
  bytes: number;
  parts: number;
}

/** Where the scanner is between values. */
type Place =
  'start' | 'key' | 'colon' | 'value' | 'element' | 'afterElement' | 'afterMember' | 'end';

/**
 * Cuts a JSON file into the values of its outermost level and the elements of the arrays there, as its bytes come: so that a
 * large file is never in memory as a whole. Each value still has to be parsed. Throws FileFault for what is no JSON. Uses no
 * library: those give values, but not where they are in the file, from which they are read again.
 */
export class JsonScanner {
  #place: Place = 'start';
  #offset = 0;
  /** The outermost level is an array. */
  #list = false;
  #member: string | null = null;
  /** Whether another value may or must follow: nothing stands behind a comma but a value. */
  #first = true;
  /** The value that is being taken: its parts so far, and how deep it is. */
  #parts: Buffer[] | undefined;
  #size = 0;
  #from = 0;
  #depth = 0;
  /** Arrays and objects in it. */
  #opened = 0;
  #inText = false;
  #escaped = false;
  readonly #most: MostOfValue;
  /** Members that are arrays, also empty ones. */
  readonly #onList: (member: string) => void;

  /** `onList` is told the members that are arrays. */
  constructor(most: MostOfValue, onList: (member: string) => void) {
    this.#most = most;
    this.#onList = onList;
  }

  /** Takes more bytes; gives the values that end in them. */
  push(chunk: Buffer): JsonItem[] {
    const items: JsonItem[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#parts === undefined) {
        if (isBlank(byte)) continue;
        if (this.#between(byte, this.#offset + at)) from = at;
        else continue;
      }
      const end = this.#within(byte);
      if (end === 'more') continue;
      const until = end === 'last' ? at + 1 : at;
      this.#keep(chunk.subarray(from, until));
      this.#finish(items);
      if (end === 'before') at--;
    }
    if (this.#parts !== undefined) this.#keep(chunk.subarray(from));
    this.#offset += chunk.length;
    return items;
  }

  /** Throws FileFault unless the file is whole. */
  end(): void {
    if (this.#place !== 'end') throw new FileFault('ends in the middle');
  }

  /** A byte between values; true if a value begins with it. */
  #between(byte: number, offset: number): boolean {
    const place = this.#place;
    const begin = (): true => {
      [this.#parts, this.#size, this.#from] = [[], 0, offset];
      [this.#depth, this.#opened, this.#inText, this.#escaped] = [0, 0, false, false];
      return true;
    };
    if (place === 'start') {
      if (byte !== OPEN_OBJECT && byte !== OPEN_ARRAY) throw new FileFault('is no JSON');
      this.#list = byte === OPEN_ARRAY;
      this.#place = this.#list ? 'element' : 'key';
      this.#first = true;
      return false;
    }
    if (place === 'value' && byte === OPEN_ARRAY) {
      this.#onList(this.#member ?? '');
      [this.#place, this.#first] = ['element', true];
      return false;
    }
    if (place === 'element' && byte === CLOSE_ARRAY && this.#first) return this.#closeArray();
    if (place === 'key' && byte === CLOSE_OBJECT && this.#first) return this.#closeAll();
    if (place === 'value' || place === 'element') return begin();
    if (place === 'key' && byte === QUOTE) return begin();
    if (place === 'colon' && byte === COLON) this.#place = 'value';
    else if (place === 'afterElement' && byte === COMMA)
      [this.#place, this.#first] = ['element', false];
    else if (place === 'afterElement' && byte === CLOSE_ARRAY) return this.#closeArray();
    else if (place === 'afterMember' && byte === COMMA) [this.#place, this.#first] = ['key', false];
    else if (place === 'afterMember' && byte === CLOSE_OBJECT) return this.#closeAll();
    else throw new FileFault(`is no JSON: byte ${offset} is not expected there`);
    return false;
  }

  #closeArray(): false {
    this.#place = this.#list ? 'end' : 'afterMember';
    return false;
  }

  #closeAll(): false {
    this.#place = 'end';
    return false;
  }

  /** A byte of a value: whether more of it follow, it is the last, or the value ended before it. */
  #within(byte: number): 'more' | 'last' | 'before' {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inText = false;
        return this.#depth === 0 ? 'last' : 'more';
      }
      return 'more';
    }
    if (byte === QUOTE) this.#inText = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      this.#depth++;
      if (++this.#opened > this.#most.parts)
        throw new FileFault(`has a value of more than ${this.#most.parts} lists and objects`);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      if (this.#depth === 0) return 'before';
      return --this.#depth === 0 ? 'last' : 'more';
    } else if (this.#depth === 0 && (byte === COMMA || isBlank(byte))) return 'before';
    return 'more';
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#most.bytes)
      throw new FileFault(`has a value of more than ${this.#most.bytes} bytes`);
    this.#parts?.push(Buffer.from(part));
  }

  #finish(items: JsonItem[]): void {
    const bytes = Buffer.concat(this.#parts ?? []);
    this.#parts = undefined;
    if (this.#place === 'key') {
      this.#member = String(parseJson(bytes));
      this.#place = 'colon';
      return;
    }
    const element = this.#place === 'element';
    items.push({ member: this.#member, element, offset: this.#from, bytes });
    this.#place = element ? 'afterElement' : 'afterMember';
  }
}

/** Parses a value. Throws FileFault. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new FileFault('is no JSON');
  }
}
