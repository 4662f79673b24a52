import type { SignedInContext } from '../../core/context/context.ts';
import { BlobTooLargeError, type StagedBlob } from '../../core/context/storage.ts';
import { refusal } from '../envelope/dataset-errors.ts';
import { isFileName } from '../images/upload/clean-file-name.ts';
import { MalformedFormError } from '../images/upload/form-parser.ts';
import { readForm, type Form } from '../images/upload/multipart.ts';

/** Bytes of a file with annotations, packed or not. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/**
 * Streams the form of an import into a local file. Without FileName, the file has the name of its part. Throws
 * ValidationError; then nothing is left.
 */
export async function receiveAnnotations(
  ctx: SignedInContext,
  contentType: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Form<StagedBlob>> {
  let partName: string | undefined;
  const form = await readForm(contentType, body, {
    files: ['file'],
    receive: (stream, name) => {
      partName = name;
      return ctx.storage.stage(stream, { maxBytes: MAX_FILE_BYTES });
    },
    drop: (file) => file.discard(),
  }).catch((error: unknown) => {
    if (error instanceof MalformedFormError)
      throw refusal('VALIDATION_ERROR', 'body', error.message);
    if (error instanceof BlobTooLargeError)
      throw refusal('VALIDATION_ERROR', 'File', `File has more than ${MAX_FILE_BYTES} bytes`);
    throw error;
  });
  if (isFileName(partName) && !form.fields.some(([name]) => name === 'filename'))
    form.fields.push(['filename', partName]);
  return form;
}
