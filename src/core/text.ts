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
