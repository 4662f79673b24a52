import { z } from 'zod';

/** The form of a successful answer: `PublicApiResponseOf…` of the document. */
export function envelopeShape<Data extends z.ZodType>(model: string, data: Data) {
  return z
    .object({ data, errorMessage: z.null(), errorCodes: z.tuple([]), isSuccess: z.literal(true) })
    .meta({ id: `PublicApiResponseOf${model}` });
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
export const guidEnvelope = envelopeShape('NullableGuid', z.uuid());

/** The answer of any other write. */
export const objectEnvelope = envelopeShape('Object', z.null());

/** An id as examples show it. */
export const EXAMPLE_ID = '7a3f0f9e-4a53-4c8e-9d0a-2f6c1f0b8a11';
