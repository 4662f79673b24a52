/** The value of an attribute in Pascal VOC, which has only texts: what is written like a number or a truth is one. */
export function readVocValue(text: string): string | number | boolean {
  // CVAT writes them as Python does.
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text))
    ? Number(text)
    : text;
}
