/** Text for the content or an attribute of XML; characters that XML can't have become a replacement character. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
