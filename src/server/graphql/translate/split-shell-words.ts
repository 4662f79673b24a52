import { AppError } from '../../../core/errors.ts';

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** That a command line can't be read, from this text on. */
export const unreadable = (rest: string): AppError =>
  new AppError('E900', {
    message: `The curl command line can not be read from here on: ${rest.slice(0, 40)}`,
  });

/**
 * Splits a shell command into words: three kinds of quotes, backslashes and continued lines. Nothing is expanded.
 * Throws E900 for an unclosed quote, and for more words than `most`.
 */
export function splitShellWords(line: string, most: number): string[] {
  const words: string[] = [];
  const part =
    /\\\r?\n|(\s+)|'([^']*)'|\$'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|((?:\\(?!\r?\n).)+)|((?:[^\s'"\\$]|\$(?!'))+)/gsy;
  let word: string | undefined;
  while (part.lastIndex < line.length) {
    const at = part.lastIndex;
    const found = part.exec(line);
    if (!found) throw unreadable(line.slice(at));
    const [, space, single, ansi, double, escaped, plain] = found;
    const piece =
      single ??
      ansi?.replaceAll(
        /\\(u[0-9a-f]{4}|.)/gis,
        (_, code: string) =>
          escapes[code] ??
          (code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : code),
      ) ??
      double?.replaceAll(/\\(["\\$`])/g, '$1') ??
      escaped?.replaceAll(/\\(.)/gs, '$1') ??
      plain;
    if (space !== undefined && word !== undefined) {
      words.push(word);
      word = undefined;
      if (words.length === most)
        throw new AppError('E900', {
          message: `The curl command line has more than ${most} words`,
        });
    } else if (piece !== undefined) word = (word ?? '') + piece;
  }
  return word === undefined ? words : [...words, word];
}
