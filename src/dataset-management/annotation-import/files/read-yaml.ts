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
 * quoted. Other members are passed over. Throws FileFault for another form.
 */
export function readDataYaml(text: string): DataYaml {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|[\n\r]/)
    .filter((line) => !/^\s*(#|$|---)/.test(line));
  let names: Map<number, string> | undefined;
  let points: DataYaml['points'];
  for (const [at, line] of lines.entries()) {
    const [, key, rest = ''] = /^(names|kpt_shape)\s*:(?:\s+(.*))?$/.exec(line) ?? [];
    if (key === undefined) continue;
    const flow = /^[[{]/.test(rest) ? flowText(lines, at, rest) : undefined;
    if (key === 'kpt_shape') {
      const [, count, numbers] = /^\[\s*(\d{1,4})\s*,\s*([23])\s*\]$/.exec(flow ?? '') ?? [];
      if (count === undefined || numbers === undefined)
        throw new FileFault('has a kpt_shape that is not [count, 2] or [count, 3]');
      points = { count: Number(count), numbers: Number(numbers) };
    } else names = flow === undefined ? blockNames(lines.slice(at + 1)) : flowNames(flow);
  }
  return { names, points };
}

/** What is in brackets, over the lines that it takes. */
function flowText(lines: readonly string[], at: number, rest: string): string {
  let text = rest;
  const close = rest.startsWith('[') ? ']' : '}';
  for (let next = at + 1; !withoutComment(text).endsWith(close) && next < lines.length; next++)
    text = `${withoutComment(text)} ${lines[next] ?? ''}`;
  return withoutComment(text);
}

function flowNames(flow: string): Map<number, string> {
  const names = new Map<number, string>();
  const list = flow.startsWith('[');
  let rest = flow.slice(1, -1).trim();
  for (let index = 0; rest !== ''; index++) {
    const [whole, number, value] =
      /^(?:(\d{1,6})\s*:\s*)?("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,[\]{}]*?)\s*(?:,\s*|$)/.exec(
        rest,
      ) ?? [];
    if (
      whole === undefined ||
      whole === '' ||
      value === undefined ||
      (number === undefined) !== list
    )
      throw new FileFault('has names in a form that is not read');
    names.set(number === undefined ? index : Number(number), scalar(value));
    rest = rest.slice(whole.length);
  }
  return names;
}

function blockNames(lines: readonly string[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of lines) {
    const [, item, number, value] = /^(?:\s*(-)\s+|\s+(\d{1,6})\s*:\s+)(.*)$/.exec(line) ?? [];
    if (value === undefined || (item === undefined && number === undefined)) {
      if (/^\S/.test(line)) break;
      throw new FileFault('has names in a form that is not read');
    }
    names.set(number === undefined ? names.size : Number(number), scalar(withoutComment(value)));
  }
  return names;
}

function scalar(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text.trim();
  try {
    return String(JSON.parse(text));
  } catch {
    throw new FileFault(`has a name that is not read: ${text}`);
  }
}

/** Without a comment behind it; a # within quotes is none. */
function withoutComment(text: string): string {
  const [, kept = ''] =
    /^((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'#]|(?<!\s)#|["'])*?)(?:\s+#.*)?$/.exec(text) ?? [];
  return kept.trim();
}
