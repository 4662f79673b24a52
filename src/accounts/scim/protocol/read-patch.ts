import * as z from 'zod';
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
  const { data, error } = patchShape.safeParse(
    isRecord(body) ? { ...body, Operations: pick(body, 'operations') } : body,
  );
  if (error) {
    const [issue] = error.issues;
    const place = issue?.path.map(String).join('.') || 'body';
    throw scimError('INVALID_SYNTAX', `${place}: ${issue?.message ?? 'is not valid'}`);
  }
  return data.Operations.map(({ op, path, value }) => {
    const verb = op.toLowerCase();
    if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
      throw scimError('INVALID_SYNTAX', 'op must be add, replace or remove');
    if (path == null && verb === 'remove') throw scimError('NO_TARGET', 'op remove needs a path');
    return { op: verb, target: path == null ? undefined : parsePatchPath(path), value };
  });
}
