import type { z } from 'zod';
import { ValidationError, type FieldProblem } from '../../core/errors.ts';
import { prefersStrict } from '../../core/rest/parameters.ts';
import { ignoredNames, tablesOf, type RequestSchema } from '../../core/rest/request-schema.ts';
import { identityNames, type IgnoredParameter, type RequestFacts } from '../../core/rest/route.ts';

/** What a route takes of a request, and what was sent besides. */
export interface Input<Values> {
  values: Values;
  ignored: IgnoredParameter[];
}

type Entries = readonly (readonly [string, unknown])[];

/**
 * Reads a request of the dataset document by names in any case; of a name that was sent twice the first counts, and null as absent. Throws ValidationError with every
 * problem (P6), with `Prefer: handling=strict` also for names that are no parameters (P8).
 */
export async function readInput<Schema extends RequestSchema>(
  request: RequestFacts,
  schema: Schema,
): Promise<Input<z.output<Schema>>> {
  const tables = tablesOf(schema);
  const takesBody = [...tables.values()].some((table) => table.in === 'body');
  const sent = { query: [...request.query], body: takesBody ? await bodyEntries(request) : [] };
  const input = Object.fromEntries(
    [...tables].map(([name, table]) => [
      name,
      firstOf(table.in === 'body' ? sent.body : sent.query, name),
    ]),
  );
  const known = new Set([...tables.keys()].map((name) => name.toLowerCase()));
  const ignored = ignoredNames(
    [...sent.query, ...sent.body].map(([name]) => name),
    (name) => known.has(name.toLowerCase()),
  );
  const read = schema.safeParse(input);
  const problems = read.success
    ? []
    : read.error.issues.map(({ path, message }) => {
        const name = String(path[0]);
        const absent = input[name] === undefined || input[name] === '';
        const table = tables.get(name);
        const code = (absent ? table?.missing : table?.unusable) ?? 'VALIDATION_ERROR';
        return { path: [name], message: `${name} ${message}`, code };
      });
  if (prefersStrict(request)) problems.push(...refusedNames(ignored));
  if (!read.success || problems.length > 0)
    throw new ValidationError(problems, problems.map(({ message }) => message).join('; '));
  return { values: read.data, ignored };
}

/** What strict handling refuses of what does not count: not the names of identity, which never do. */
function refusedNames(ignored: readonly IgnoredParameter[]): FieldProblem[] {
  return ignored
    .filter(({ name }) => !identityNames.has(name))
    .map(({ name, reason }) => ({
      path: [name],
      message: `${name.slice(0, 100)} ${reason}`,
      code: 'VALIDATION_ERROR',
    }));
}

async function bodyEntries(request: RequestFacts): Promise<Entries> {
  const body = await request.body();
  if (body.kind === 'form') return [...body.form];
  return typeof body.json === 'object' && body.json !== null ? Object.entries(body.json) : [];
}

function firstOf(entries: Entries, name: string): unknown {
  const lower = name.toLowerCase();
  return entries.find(([given]) => given.toLowerCase() === lower)?.[1] ?? undefined;
}
