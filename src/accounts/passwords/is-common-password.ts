import { makeOnce } from '../../core/turns/make-once.ts';

const letters: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

/** Fewest different characters of a password. */
const DIFFERENT = 5;

/**
 * Is it a password that many have, or one made of such in a usual way: repeated, in capitals, with digits for letters,
 * or with digits and signs around it?
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const lower = password.normalize('NFKC').toLowerCase();
  if (new Set(lower).size < DIFFERENT) return true;
  const common = await commonPasswords();
  const plain = asLetters(lower);
  return [lower, plain, core(lower), core(plain), asLetters(core(lower))].some((text) =>
    common.has(repeated(text)),
  );
}

/** The text with digits and signs read as the letters that they look like. */
function asLetters(text: string): string {
  return text.replaceAll(/[@431!0$57]/g, (sign) => letters[sign] ?? sign);
}

/** The text without the digits and signs around it. */
function core(text: string): string {
  return text.replaceAll(/^[^\p{L}]+|(?<=\p{L})[^\p{L}]+$/gu, '');
}

/** What a text is a repetition of: `abcabcabc` of `abc`; else the text. */
function repeated(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return period > 0 ? text.slice(0, period) : text;
}

/** Some 49,000 passwords, from lists of stolen ones. Loaded when the first password is chosen. */
const commonPasswords = makeOnce<ReadonlySet<string>>(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
});
