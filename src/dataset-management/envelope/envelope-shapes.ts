import * as z from 'zod';

/** The form of a successful answer: under a name that says what is in it, and that of the API document. */
export function envelopeShape<Data extends z.ZodType>(id: string, model: string, data: Data) {
  return z
    .object({ data, errorMessage: z.null(), errorCodes: z.tuple([]), isSuccess: z.literal(true) })
    .meta({ id, description: `PublicApiResponseOf${model} of the API document.` });
}

/** A successful answer: all four members, always (F200). */
export function envelopeOf<Data>(data: Data): {
  data: Data;
  errorMessage: null;
  errorCodes: [];
  isSuccess: true;
} {
  return { data, errorMessage: null, errorCodes: [], isSuccess: true };
}

/** The answer of a write that makes something: its id. */
export const guidEnvelope = envelopeShape('IdEnvelope', 'NullableGuid', z.uuid());

/** The answer of any other write. */
export const objectEnvelope = envelopeShape('EmptyEnvelope', 'Object', z.null());

/** An id as examples show it. */
export const EXAMPLE_ID = '7a3f0f9e-4a53-4c8e-9d0a-2f6c1f0b8a11';
