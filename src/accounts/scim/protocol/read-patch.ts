import { z } from 'zod';
import { isRecord } from '../../../core/json-values.ts';
import { parsePatchPath, type PatchPath } from './parse-filter.ts';
import { pick } from './read-values.ts';
import { scimError } from './scim-error.ts';

/** Most operations of one PATCH. */
const MAX_OPERATIONS = 1_000;

/** One operation of a PATCH. Without a path, `value` is an object with paths as its keys. */
export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  target?: PatchPath | undefined;
  value: unknown;
}

const operation = z.object({
  op: z.string().max(20).meta({ description: 'add, replace or remove, in any case.' }),
  path: z.string().max(2_000).nullish(),
  value: z.unknown().optional(),
});

/** The body of a PATCH (RFC 7644, 3.5.2). */
export const patchShape = z
  .object({
    schemas: z.array(z.string()).optional(),
    Operations: z.array(operation).min(1).max(MAX_OPERATIONS),
  })
  .meta({ id: 'ScimPatch', description: 'Changes of a resource, done one after the other.' });

/**
 * Reads the body of a PATCH: operations and names of members in any case, as some directories send them. Throws SCIM's
 * errors.
 */
export function readPatch(body: unknown): PatchOperation[] {
  const { Operations: operations } = readBody(
    patchShape,
    isRecord(body) ? { ...body, Operations: pick(body, 'operations') } : body,
  );
  return operations.map(({ op, path, value }) => {
    const verb = op.toLowerCase();
    if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
      throw scimError('INVALID_SYNTAX', 'op must be add, replace or remove');
    if (path == null && verb === 'remove') throw scimError('NO_TARGET', 'op remove needs a path');
    return { op: verb, target: path == null ? undefined : parsePatchPath(path), value };
  });
}

/** Reads a body by a schema. Throws invalidSyntax. */
function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(body);
  if (!error) return data;
  const [issue] = error.issues;
  throw scimError(
    'INVALID_SYNTAX',
    `${issue?.path.map(String).join('.') || 'body'}: ${issue?.message ?? 'is not valid'}`,
  );
}
