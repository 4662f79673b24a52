import { AppError } from '../../../core/errors.ts';

/** Which resource to write, as long as it has this version. */
export interface WhichResource {
  id: string;
  ifMatch: string | undefined;
}

const tagsOf = (ifMatch: string): string[] => ifMatch.split(',').map((tag) => tag.trim());

/** Does `If-Match` name versions, so that the present one must be known? */
export function asksVersion(ifMatch: string | undefined): boolean {
  return ifMatch !== undefined && !tagsOf(ifMatch).includes('*');
}

/** Refuses a write with 412 unless `If-Match` is absent, `*`, or names the version of the resource. */
export function checkVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || !asksVersion(ifMatch) || tagsOf(ifMatch).includes(version)) return;
  throw new AppError('E900', {
    status: 412,
    message: 'The resource has changed since that version',
    graphqlCode: 'PRECONDITION_FAILED',
  });
}
