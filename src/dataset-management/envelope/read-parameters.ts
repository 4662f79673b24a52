import { ValidationError } from '../../core/errors.ts';
import { isRecord } from '../../core/json-values.ts';
import type { Entries, Reading } from '../../core/rest/read-input.ts';
import type { RequestFacts } from '../../core/rest/route.ts';

/** How requests of the dataset document are read: names in any case, and messages that begin with the name. */
export const datasetReading: Reading = {
  anyCase: true,
  body: bodyEntries,
  refuse: (problems) =>
    new ValidationError(
      problems,
      problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '),
    ),
};

/** The fields of a form or of JSON; JSON that is no object has none. */
async function bodyEntries(request: RequestFacts): Promise<Entries> {
  const body = await request.body();
  if (body.kind === 'form') return [...body.form];
  return isRecord(body.json) ? Object.entries(body.json) : [];
}
