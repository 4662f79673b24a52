import { FileFault } from './file-fault.ts';

/** What `data.yaml` says of a YOLO dataset. */
export interface DataYaml {
  /** Names of the classes by their numbers; undefined if it names none. */
  names: Map<number, string> | undefined;
  /** How many points each row has, and how many numbers each point: 2, or 3 with its visibility. */
  points: { count: number; numbers: number } | undefined;
}

/**
 * Reads `names` and `kpt_shape` of a `data.yaml`: names as a list or by number, in lines of their own or in brackets, plain or
 * quoted. Other members are passed over. Takes time in proportion to the text, whatever is in it. Throws FileFault for another
 * form.
 */
export function readDataYaml(text: string): DataYaml {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|[\n\r]/)
    .filter((line) => !/^\s*(#|$|---)/.test(line));
  let names: Map<number, string> | undefined;
  let points: DataYaml['points'];
  for (const [at, line] of lines.entries()) {
    const [, key, rest = ''] = /^(names|kpt_shape)\s*:(?:\s+(.*))?$/s.exec(line) ?? [];
    if (key === undefined) continue;
    if (key === 'names' ? names : points) throw new FileFault(`has ${key} twice`);
    const flow = /^[[{]/.test(rest) ? flowText(lines, at, rest) : undefined;
    if (key === 'kpt_shape') {
      const [, count, numbers] = /^\[\s*(\d{1,4})\s*,\s*([23])\s*\]$/.exec(flow ?? '') ?? [];
      if (count === undefined || numbers === undefined)
        throw new FileFault('has a kpt_shape that is not [count, 2] or [count, 3]');
      points = { count: Number(count), numbers: Number(numbers) };
    } else names = flow === undefined ? blockNames(lines, at + 1) : flowNames(flow);
  }
  return { names, points };
}

/** What is in brackets, over the lines that it takes. */
function flowText(lines: readonly string[], at: number, rest: string): string {
  const parts = [withoutComment(rest)];
  const close = rest.startsWith('[') ? ']' : '}';
  for (let next = at + 1; !parts.at(-1)?.endsWith(close) && next < lines.length; next++)
    parts.push(withoutComment(lines[next] ?? ''));
  return parts.join(' ');
}

function flowNames(flow: string): Map<number, string> {
  const names = new Map<number, string>();
  const list = flow.startsWith('[');
  const inside = flow.slice(1, -1).trim();
  for (let [index, at] = [0, 0]; at < inside.length; index++) {
    const end = findOutside(inside, at, (char) => char === ',');
    const item = inside.slice(at, end).trim();
    at = end + 1;
    const [, number, value = item] = list ? [] : (/^(\d{1,6})\s*:\s*(.*)$/s.exec(item) ?? []);
    const quoted = value.startsWith('"') || value.startsWith("'");
    if ((number === undefined) !== list || (!quoted && /[[\]{}]/.test(value)))
      throw new FileFault('has names in a form that is not read');
    names.set(number === undefined ? index : Number(number), scalar(value));
  }
  return names;
}

function blockNames(lines: readonly string[], from: number): Map<number, string> {
  const names = new Map<number, string>();
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, item, number, value] = /^(?:\s*(-)\s+|\s+(\d{1,6})\s*:\s+)(.*)$/s.exec(line) ?? [];
    if (value === undefined || (item === undefined && number === undefined)) {
      if (/^\S/.test(line)) break;
      throw new FileFault('has names in a form that is not read');
    }
    names.set(number === undefined ? names.size : Number(number), scalar(withoutComment(value)));
  }
  return names;
}

function scalar(text: string): string {
  const quote = text.charAt(0);
  if (quote !== '"' && quote !== "'") return text.trim();
  const fault = new FileFault(`has a name that is not read: ${text.slice(0, 100)}`);
  if (text.length < 2 || !text.endsWith(quote)) throw fault;
  if (quote === "'") return text.slice(1, -1).replaceAll("''", "'");
  try {
    return String(JSON.parse(text));
  } catch {
    throw fault;
  }
}

/** Without a comment behind it; a # within quotes is none. */
function withoutComment(text: string): string {
  const isComment = (char: string, at: number): boolean =>
    char === '#' && at > 0 && /\s/.test(text.charAt(at - 1));
  return text.slice(0, findOutside(text, 0, isComment)).trim();
}

/** Where the first character is, outside of quotes, that is looked for; the end if there is none. */
function findOutside(
  text: string,
  from: number,
  wanted: (char: string, at: number) => boolean,
): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (quote === '"' && char === '\\') at++;
    else if (quote === "'" && char === "'" && next === "'") at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    // Within a word it is an apostrophe.
    else if (/["']/.test(char) && (at === from || /[\s[{,:]/.test(text.charAt(at - 1))))
      quote = char;
    else if (wanted(char, at)) return at;
  }
  return text.length;
}
