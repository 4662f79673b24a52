/** The lines of a text, one after the other: all at once, those of a file of line ends take many times its memory. */
export function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length;) {
    let to = from;
    while (to < text.length && text[to] !== '\n' && text[to] !== '\r') to++;
    yield text.slice(from, to);
    from = to + (text.startsWith('\r\n', to) ? 2 : 1);
  }
}
