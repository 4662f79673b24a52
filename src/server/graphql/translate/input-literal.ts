import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ConstValueNode,
  type GraphQLInputType,
} from 'graphql';
import { AppError } from '../../../core/errors.ts';

/**
 * The GraphQL literal for a value as operations take it: the reverse of what the schema's scalars and enums parse.
 * Undefined members are left out.
 */
export function inputLiteral(type: GraphQLInputType, value: unknown): ConstValueNode {
  if (isNonNullType(type)) return inputLiteral(type.ofType, value);
  if (value === null || value === undefined) return { kind: Kind.NULL };
  if (isListType(type))
    return {
      kind: Kind.LIST,
      values: (Array.isArray(value) ? value : [value]).map((item) =>
        inputLiteral(type.ofType, item),
      ),
    };
  if (isInputObjectType(type)) {
    const fields = Object.entries(value).filter(([, member]) => member !== undefined);
    return {
      kind: Kind.OBJECT,
      fields: fields.map(([name, member]) => {
        const field = type.getFields()[name];
        if (!field) throw new Error(`${type.name} has no field ${name}`);
        return {
          kind: Kind.OBJECT_FIELD,
          name: { kind: Kind.NAME, value: name },
          value: inputLiteral(field.type, member),
        };
      }),
    };
  }
  if (isEnumType(type)) {
    const member = type.getValues().find((known) => known.value === value);
    if (!member)
      throw new AppError('E900', { message: `${type.name} has no value ${JSON.stringify(value)}` });
    return { kind: Kind.ENUM, value: member.name };
  }
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value };
  if (typeof value === 'number') return { kind: Kind.INT, value: String(value) };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return {
    kind: Kind.STRING,
    value: type.name === 'LocalDate' ? text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') : text,
  };
}

/** Does the literal have everything that the type requires? A file, for example, can't be written down. */
export function isComplete(type: GraphQLInputType, literal: ConstValueNode): boolean {
  if (literal.kind === Kind.NULL) return !isNonNullType(type);
  if (isNonNullType(type)) return isComplete(type.ofType, literal);
  if (!isInputObjectType(type) || literal.kind !== Kind.OBJECT) return true;
  return literal.fields.every((field) => {
    const declared = type.getFields()[field.name.value];
    return declared !== undefined && isComplete(declared.type, field.value);
  });
}
