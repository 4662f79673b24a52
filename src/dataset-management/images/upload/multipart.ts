import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { FailureSwitch } from './failure-switch.ts';
import { asError, isParserError, MalformedFormError, openParser } from './form-parser.ts';

export interface Form<File> {
  /** With lower-case names, as they came. */
  fields: [name: string, value: string][];
  /** By lower-case name; two of one name are refused. */
  files: Map<string, File>;
}

export interface FormOptions<File> {
  /** Lower-case names of the parts that are files, whatever their headers say. */
  files: readonly string[];
  /** Consumes a file as it arrives; `name` is what the head of its part calls it, if anything. */
  receive(stream: AsyncIterable<Uint8Array>, name?: string): Promise<File>;
  /** Undoes `receive` if the form fails later. */
  drop(file: File): Promise<void>;
}

/**
 * Reads a multipart/form-data body part by part, never holding a file in memory. Throws MalformedFormError, or what
 * `receive` or the body throws.
 */
export async function readForm<File>(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  options: FormOptions<File>,
): Promise<Form<File>> {
  const form: Form<File> = { fields: [], files: new Map() };
  const parser = openParser(contentType, options.files);
  const failure = new FailureSwitch();
  const fail = (error: unknown): void => failure.fail(error);
  const open = new Set<Readable>();
  const seen = new Set<string>();
  const received: Promise<void>[] = [];
  let steps = 0;
  let parsing = false;
  let watching = false;
  // Parser and files may tell of a failure before anybody reads them and after everybody has gone: an error event that
  // nobody hears ends the process.
  parser.on('error', fail);
  // Its types do not say that a part may have no name.
  parser.on('field', (name: string | undefined, value, nameTruncated, valueTruncated) => {
    if (name === undefined) fail(new MalformedFormError('a part has no name'));
    else if (nameTruncated || valueTruncated) fail(new MalformedFormError('a field is too long'));
    else form.fields.push([name.toLowerCase(), value]);
  });
  parser.on('file', (name, stream, filename) => {
    stream.on('error', () => undefined);
    open.add(stream);
    steps++;
    const key = name.toLowerCase();
    if (seen.has(key)) return fail(new MalformedFormError(`there are two parts ${key}`));
    seen.add(key);
    const receive = async (): Promise<void> => {
      form.files.set(key, await options.receive(stream, filename));
    };
    const done = receive().finally(() => {
      open.delete(stream);
      steps++;
      void watch();
    });
    done.catch(fail);
    received.push(done);
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => fail(new MalformedFormError('the form has too many parts')));
  /**
   * The parser never gets on with what stands behind an end in the head of a part: while no file is read, all that it
   * does for a piece is done at once or never.
   */
  const watch = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    for (let before = -1; before !== steps;) {
      before = steps;
      await setImmediate();
      await setImmediate();
    }
    watching = false;
    if (parsing && open.size === 0) fail(new MalformedFormError('the form has data after its end'));
  };
  const parse = async (act: (done: () => void) => void): Promise<void> => {
    steps++;
    parsing = true;
    void watch();
    await failure.wait(new Promise<void>(act));
    parsing = false;
  };
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const piece = await failure.wait(pieces.next());
      if (piece.done === true) break;
      await parse((done) => parser.write(piece.value, done));
    }
    await parse((done) => void parser.once('finish', done).end());
    await failure.wait(Promise.all(received));
    return form;
  } catch (error) {
    void pieces.return?.()?.catch(() => undefined);
    parser.destroy();
    for (const stream of open) stream.destroy(asError(error));
    await Promise.allSettled(received);
    for (const file of form.files.values()) await options.drop(file);
    throw isParserError(error)
      ? new MalformedFormError(`the form can't be read: ${asError(error).message}`, {
          cause: error,
        })
      : error;
  }
}
