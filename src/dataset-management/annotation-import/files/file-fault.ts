/** A file can't be read at all: no JSON, no archive, no XML. The message says why, in words that follow its name. */
export class FileFault extends Error {
  override name = 'FileFault';
}
