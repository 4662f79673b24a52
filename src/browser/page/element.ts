/** What an element may contain; false, null and undefined become nothing, texts are never read as HTML. */
export type Child = Node | string | number | false | null | undefined | readonly Child[];

/** Attributes by name, and listeners by `on` and the event's name. False and undefined are left out. */
export type Attributes = Record<
  string,
  string | number | boolean | undefined | ((event: Event) => void)
>;

const SVG = 'http://www.w3.org/2000/svg';

/** An element of HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

/** An element of SVG. */
export function shape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Options of a select, one of them chosen. */
export function options(
  entries: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
): HTMLOptionElement[] {
  return entries.map(([value, text]) =>
    element('option', { value, selected: value === chosen }, text),
  );
}

function fill<Kind extends Element>(
  made: Kind,
  attributes: Attributes,
  children: readonly Child[],
): Kind {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false)
      made.setAttribute(name, value === true ? '' : String(value));
  }
  add(made, children);
  return made;
}

function add(made: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === false || child === null || child === undefined) continue;
    if (typeof child === 'string' || typeof child === 'number') made.append(String(child));
    else if (child instanceof Node) made.append(child);
    else add(made, child);
  }
}
