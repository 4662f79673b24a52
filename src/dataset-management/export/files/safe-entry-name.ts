const MAX_BYTES = 200;

/**
 * A file name that is one harmless path segment on every system: no separators, reserved or invisible characters, no
 * dots or blanks at its ends; at most 200 bytes, the extension kept.
 */
export function safeEntryName(fileName: string): string {
  const name = fileName
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, '');
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return (
    cut(name.slice(0, name.length - extension.length), MAX_BYTES - extension.length) + extension ||
    'image'
  );
}

/** The longest start of the text that has no more bytes in UTF-8. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
