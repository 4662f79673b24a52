import { DamagedDomainFileError } from './archive/domain-file.ts';
import { refused } from './find-domain.ts';

/**
 * What PostgreSQL says of rows of a file that can't be here, in words of ours: E900 where others have their keys or names,
 * DamagedDomainFileError where no database could have them. Nothing was written.
 */
export function explainClash(
  error: unknown,
  { whole, table: written }: { whole: boolean; table?: string },
): unknown {
  const cause = causeOf(error);
  if (!cause) return error;
  const { code, table = written ?? 'a table', constraint = '', detail = '', message } = cause;
  if (code !== TAKEN)
    return new DamagedDomainFileError(`its rows of ${table} can't be here: ${message}`);
  const [, names = '', values = ''] = /^[^(]*\((.*?)\)=\((.*)\)/s.exec(detail) ?? [];
  const said = names === '' ? detail : `${names.replaceAll('"', '')} (${values})`;
  if (constraint.endsWith('_pkey'))
    return refused(
      `a row of ${table} with the key ${said} is here already: both databases gave their keys without CELL (docs/scaling.md)`,
    );
  return refused(
    whole
      ? `a row of ${table} with the ${said} is here already, in another domain: it has to be another one here or there`
      : `a row of ${table} with the ${said} is here already, in another domain, or in this one, where two rows took each other's since the first export: in the second case, delete the domain here and import a new export`,
  );
}

/** What PostgreSQL tells of a statement that failed. */
interface Clash {
  code: string;
  message: string;
  table?: string;
  constraint?: string;
  detail?: string;
}

/** unique_violation */
const TAKEN = '23505';

/** Rows that come twice, data exceptions, violated constraints, values too large for an index, and what triggers refuse. */
const ofRows = /^(21|22|23|54)|^P0001$/;

/** What PostgreSQL said of rows, within the error that operations get. */
function causeOf(error: unknown): Clash | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if ('code' in one && typeof one.code === 'string' && ofRows.test(one.code))
      return { ...(one as Partial<Clash>), code: one.code, message: one.message };
  return undefined;
}
