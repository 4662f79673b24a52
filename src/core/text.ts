/**
 * Folds text for case-insensitive comparison (Unicode full case folding, canonically composed). Names are equal if
 * their folded texts are.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** A login as it is stored, and compared. */
export function foldLogin(login: string): string {
  return login.normalize('NFC').toLowerCase();
}

/** Has it more characters than that? They are Unicode's code points, of one or two UTF-16 units. */
export function isLonger(text: string, characters: number): boolean {
  return (
    text.length > characters && (text.length > 2 * characters || [...text].length > characters)
  );
}

/** Can PostgreSQL store it? That excludes NUL and lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Text for one line of a terminal: what would break the line, or is a command to the terminal, is written as its code. */
export function oneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
