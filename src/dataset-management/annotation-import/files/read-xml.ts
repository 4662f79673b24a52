import { SaxesParser } from 'saxes';
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

/**
 * Reads a small XML document into a tree. It knows no document types and so no entities but the five of XML itself: nothing
 * in a document can grow or name another file. Throws FileFault.
 */
export function readXml(text: string): XmlElement {
  const root: XmlElement = { name: '', children: [], text: '' };
  const open = [root];
  const inside = (): XmlElement => open.at(-1) ?? root;
  let elements = 0;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    if (++elements > MOST_ELEMENTS || open.length > DEEPEST)
      throw new FileFault('has too many elements');
    const element = { name, children: [], text: '' };
    inside().children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (part) => void (inside().text += part));
  parser.on('cdata', (part) => void (inside().text += part));
  parser.on('doctype', () => {
    throw new FileFault('has a document type, which is not read');
  });
  parser.on('error', ({ message }) => {
    throw new FileFault(`is no XML: ${message.replace(/\.$/, '')}`);
  });
  parser.write(text).close();
  return root.children[0] ?? root;
}

/** The first child of this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The trimmed text of the first child of this name; undefined if there is none. */
export function textIn(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}
