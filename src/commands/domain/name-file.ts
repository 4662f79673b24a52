import { DamagedDomainFileError } from '../../cells/archive/domain-file.ts';
import { RefusedFileError } from '../../server/control/refused-file-error.ts';

/** Lets the error of work that read a damaged file say which one: a gateway knows only the name of its copy. */
export async function nameFile<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DamagedDomainFileError || error instanceof RefusedFileError)
      throw new DamagedDomainFileError(`${file}: ${error.message}`);
    throw error;
  }
}
