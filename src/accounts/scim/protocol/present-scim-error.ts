import * as z from 'zod';
import { ValidationError, type AppError } from '../../../core/errors.ts';
import type { Reply } from '../../../core/rest/route.ts';
import { scimTypes } from './scim-error.ts';

/** The media type of SCIM. */
export const SCIM_JSON = 'application/scim+json; charset=utf-8';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The error body of the paths of SCIM. */
export const scimErrorShape = z
  .object({
    schemas: z.array(z.literal(ERROR)),
    status: z.string().describe('The HTTP status.'),
    scimType: z.enum(['uniqueness', ...Object.values(scimTypes)]).optional(),
    detail: z.string(),
  })
  .meta({ id: 'ScimError', description: 'The error body of the paths of SCIM: RFC 7644, 3.12.' });

/** The error in SCIM's form. */
export function presentScimError(error: AppError): Reply {
  const codes = error instanceof ValidationError ? error.problems.map(({ code }) => code) : [];
  const taken = codes.includes('TAKEN');
  const known: Readonly<Record<string, string>> = {
    ...scimTypes,
    BAD_USER_INPUT: 'invalidSyntax',
    VALIDATION_ERROR: codes.includes('LAST_ADMINISTRATOR') ? 'mutability' : 'invalidValue',
  };
  const status = taken ? 409 : error.code === 'E404' && error.status === 200 ? 404 : error.status;
  const scimType = taken ? 'uniqueness' : status === 400 ? known[error.graphqlCode] : undefined;
  const body = {
    schemas: [ERROR],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message,
  };
  return {
    status,
    headers: { ...error.headers, 'content-type': SCIM_JSON },
    body: JSON.stringify(body),
  };
}
