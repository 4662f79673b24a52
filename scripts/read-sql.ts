/** A statement of a script of SQL. */
export interface SqlStatement {
  /** As it is written, without the comments before it. */
  raw: string;
  /** The comment on the lines before it. */
  comment: string;
  /** Keywords and names in lower case, names without quotes and schema; literals are `''`, quoted bodies `$$`. */
  tokens: string[];
  /** The tokens, one space between two. */
  text: string;
}

const TOKEN =
  /(?<space>\s+)|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|(?<body>\$(?<tag>[A-Za-z_]*)\$[\s\S]*?\$\k<tag>\$)|(?<param>\$\d+)|(?<string>[eE]'(?:\\[\s\S]|''|[^'\\])*'|'(?:''|[^'])*')|"(?<quoted>(?:""|[^"])*)"|(?<word>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<sign>::|[^'"\w\s])/y;

/** Splits a script into its statements. Throws where a quote does not end. */
export function readSql(script: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let [tokens, comments, begin]: [string[], string[], number] = [[], [], 0];
  const end = (at: number): void => {
    const raw = script.slice(begin, at).trim();
    if (tokens.length > 0) {
      const text = tokens.join(' ').replaceAll('public . ', '');
      statements.push({ raw, comment: comments.join('\n'), tokens: text.split(' '), text });
    }
    [tokens, comments] = [[], []];
  };
  for (let at = 0; at < script.length;) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(script)?.groups;
    if (!groups) throw new Error(`a quote does not end: ${script.slice(at, at + 40)}`);
    const next = TOKEN.lastIndex;
    if (groups['comment'] !== undefined && tokens.length === 0) comments.push(groups['comment']);
    else if (groups['sign'] === ';') end(next);
    else if (groups['space'] === undefined && groups['comment'] === undefined) {
      if (tokens.length === 0) begin = at;
      tokens.push(tokenOf(groups));
    }
    at = next;
  }
  end(script.length);
  return statements;
}

/** The parts between commas that are in no parentheses, as text. */
export function splitAtCommas(tokens: readonly string[]): string[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === '(' || token === '[') depth++;
    if (token === ')' || token === ']') depth--;
    if (token === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.map((part) => part.join(' '));
}

function tokenOf(groups: Record<string, string | undefined>): string {
  if (groups['body'] !== undefined) return '$$';
  if (groups['string'] !== undefined) return `''`;
  const { quoted } = groups;
  if (quoted !== undefined) return /^\w+$/.test(quoted) ? quoted : 'quoted_name';
  return (
    groups['param'] ??
    groups['word'] ??
    groups['number'] ??
    groups['sign'] ??
    ''
  ).toLowerCase();
}
