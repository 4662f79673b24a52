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
/** What can follow: text, a comment, literal text, a processing instruction, an end or a start. */
const TOKEN = new RegExp(
  `([^<]+)|<!--(?:(?!--)[^])*-->|<!\\[CDATA\\[((?:(?!\\]\\]>)[^])*)\\]\\]>|<\\?[\\p{L}_](?:(?!\\?>)[^])*\\?>|</(${NAME})\\s*>|<(${NAME})${ATTRIBUTES}\\s*(/?)>`,
  'uy',
);
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
    const match = TOKEN.exec(document);
    if (!match)
      throw new FileFault(
        document.startsWith('<!', at)
          ? 'has a document type, which is not read'
          : `is no XML: character ${at + 1} is not expected there`,
      );
    const [, words, literal, closed, opened, empty] = match;
    const inside = open.at(-1) ?? root;
    if (words !== undefined) inside.text += decodeXml(words);
    else if (literal !== undefined) inside.text += literal;
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

/** The first child of this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The trimmed text of the first child of this name; undefined if there is none. */
export function textIn(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}

function decodeXml(text: string): string {
  return text.replace(/&([^;&]{0,10};?)/g, (_, reference: string) => {
    const name = reference.endsWith(';') ? reference.slice(0, -1) : '';
    const code = /^#(?:(\d+)|x([0-9a-f]+))$/i.exec(name);
    const point = code ? Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 10 : 16) : NaN;
    if (point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000))
      return String.fromCodePoint(point);
    const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (named === undefined) throw new FileFault(`has an unknown entity &${reference}`);
    return named;
  });
}
