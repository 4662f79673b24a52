import { FileFault } from './file-fault.ts';

/** An element, without its attributes. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  /** Its own text, without that of its children. */
  text: string;
}

const MOST_ELEMENTS = 200_000;
const DEEPEST = 50;
const NAME = '[\\p{L}_][\\p{L}\\p{N}_.:-]*';
const ATTRIBUTES = `(?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*`;
/** What can follow besides what `skipped` reads: text, an end or a start. */
const TOKEN = new RegExp(`([^<]+)|</(${NAME})\\s*>|<(${NAME})${ATTRIBUTES}\\s*(/?)>`, 'uy');
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads a small XML document into a tree. It is strict, and knows no document types and so no entities but the five of XML
 * itself: nothing in a document can grow or name another file. Throws FileFault.
 */
export function readXml(text: string): XmlElement {
  const root: XmlElement = { name: '', children: [], text: '' };
  const open = [root];
  let elements = 0;
  TOKEN.lastIndex = 0;
  const document = text.replace(/^\uFEFF/, '');
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex;
    const mark = document[at] === '<' ? document[at + 1] : '';
    const skipped = mark === '!' || mark === '?' ? skip(document, at) : undefined;
    if (skipped) {
      (open.at(-1) ?? root).text += skipped.literal;
      TOKEN.lastIndex = skipped.end;
      continue;
    }
    const match = nextToken(document);
    if (!match)
      throw new FileFault(
        document.startsWith('<!', at)
          ? 'has a document type, which is not read'
          : `is no XML: character ${at + 1} is not expected there`,
      );
    const [, words, closed, opened, empty] = match;
    const inside = open.at(-1) ?? root;
    if (words !== undefined) inside.text += decodeXml(words);
    else if (closed !== undefined) {
      if (inside === root || inside.name !== closed)
        throw new FileFault(`is no XML: </${closed}> ends what it did not begin`);
      open.pop();
    } else if (opened !== undefined) {
      if (++elements > MOST_ELEMENTS || open.length > DEEPEST)
        throw new FileFault('has too many elements');
      const element = { name: opened, children: [], text: '' };
      inside.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  const [only, second] = root.children;
  if (!only || second || open.length > 1 || root.text.trim() !== '')
    throw new FileFault('is no XML: it has not exactly one outermost element');
  return only;
}

/** Reads a comment, literal text or a processing instruction; undefined if there is none, or it is not whole. */
function skip(document: string, at: number): { literal: string; end: number } | undefined {
  const between = (start: string, stop: string): { literal: string; end: number } | undefined => {
    const from = at + start.length;
    const end = document.startsWith(start, at) ? document.indexOf(stop, from) : -1;
    return end < 0 ? undefined : { literal: document.slice(from, end), end: end + stop.length };
  };
  const comment = between('<!--', '--');
  if (comment)
    return document[comment.end] === '>' ? { literal: '', end: comment.end + 1 } : undefined;
  const instruction = between('<?', '?>');
  if (instruction)
    return /^[\p{L}_]/u.test(instruction.literal)
      ? { literal: '', end: instruction.end }
      : undefined;
  return between('<![CDATA[', ']]>');
}

/** Throws FileFault for a tag that has too many attributes to be read. */
function nextToken(document: string): RegExpExecArray | null {
  try {
    return TOKEN.exec(document);
  } catch (error) {
    if (error instanceof RangeError) throw new FileFault('has a tag that is too long');
    throw error;
  }
}

/** The first child of this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The trimmed text of the first child of this name; undefined if there is none. */
export function textIn(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}

function decodeXml(text: string): string {
  let [decoded, from] = ['', 0];
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const [reference = '&'] = /^&[^;&]{0,10};?/.exec(text.slice(at, at + 12)) ?? [];
    decoded += text.slice(from, at) + entity(reference);
    from = at + reference.length;
  }
  return decoded + text.slice(from);
}

/** The character for which `&…;` stands. Throws FileFault. */
function entity(reference: string): string {
  const name = reference.endsWith(';') ? reference.slice(1, -1) : '';
  if (Object.hasOwn(NAMED, name)) return NAMED[name] ?? '';
  const code = /^#(?:(\d+)|x([0-9a-f]+))$/i.exec(name);
  const point = code ? Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 10 : 16) : NaN;
  if (point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000))
    return String.fromCodePoint(point);
  throw new FileFault(`has an unknown entity ${reference}`);
}
