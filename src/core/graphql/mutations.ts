import type { InputFieldMap, InputObjectRef, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context/context.ts';
import { builder } from './builder.ts';
import './user-errors.ts';

type Types = typeof builder.$inferSchemaTypes;

/** What Relay clients may send with a mutation, and find in its payload. */
interface Sent {
  clientMutationId?: string | null | undefined;
}

/** Builds the fields of an input type. */
export type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

interface InputOptions<Fields> {
  description: string;
  fields: (t: InputBuilder) => Fields;
}

/** Makes the input type of a mutation: these fields, and the clientMutationId. */
export function mutationInput<Fields extends InputFieldMap>(
  name: string,
  { description, fields }: InputOptions<Fields>,
) {
  return builder.inputType(name, {
    description,
    fields: (t) => ({
      ...fields(t),
      clientMutationId: t.string({
        description: 'Text of your choice, returned unchanged in the payload.',
      }),
    }),
  });
}

type PayloadBuilder<Payload> = PothosSchemaTypes.ObjectFieldBuilder<Types, Payload & Sent>;

interface PayloadOptions<Payload> {
  description: string;
  fields?: (
    t: PayloadBuilder<Payload>,
  ) => Record<string, ReturnType<PayloadBuilder<Payload>['field']>>;
}

/** Makes the payload type of a mutation: these fields, and the clientMutationId of the input. */
export function mutationPayload<Payload extends object>(
  name: string,
  { description, fields }: PayloadOptions<Payload>,
): ObjectRef<Types, Payload & Sent> {
  return builder.objectRef<Payload & Sent>(name).implement({
    description,
    fields: (t) => ({
      ...fields?.(t),
      clientMutationId: t.string({
        nullable: true,
        description: 'The clientMutationId of the input; null if none was sent.',
        resolve: ({ clientMutationId }) => clientMutationId,
      }),
    }),
  });
}

interface MutationOptions<Input, Payload> {
  description: string;
  deprecationReason?: string;
  input: InputObjectRef<Types, Input>;
  /** Description of the argument `input`. */
  inputIs: string;
  payload: ObjectRef<Types, Payload & Sent>;
  /** Expected failures, members of the result union next to the payload; without them, the payload is the result. */
  failures?: (new (...args: never[]) => Error)[];
  resolve: (
    input: Omit<Input, 'clientMutationId'>,
    ctx: Context,
    info: GraphQLResolveInfo,
  ) => Promise<Payload>;
}

/** Declares a mutation as Relay clients know them: one argument `input`, whose clientMutationId the payload returns. */
export function mutation<Input extends Sent, Payload extends object>(
  name: string,
  options: MutationOptions<Input, Payload>,
): void {
  const { description, deprecationReason, inputIs, failures, resolve } = options;
  const payload: ObjectRef<Types, Sent> = options.payload;
  const type: InputObjectRef<Types, Sent> = options.input;
  const result = `${name.charAt(0).toUpperCase()}${name.slice(1)}Result`;
  builder.mutationField(name, (t) =>
    t.field({
      type: payload,
      description,
      ...(deprecationReason !== undefined && { deprecationReason }),
      ...(failures && {
        errors: { types: failures, union: { name: result, description: `Outcome of ${name}.` } },
      }),
      args: { input: t.arg({ type, required: true, description: inputIs }) },
      resolve: async (_, { input: { clientMutationId, ...input } }, ctx, info) => ({
        // The fields are those of Input, which TypeScript can't tell of a type parameter.
        ...(await resolve(input as Omit<Input, 'clientMutationId'>, ctx, info)),
        clientMutationId,
      }),
    }),
  );
}
