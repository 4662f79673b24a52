import {
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { costOfField, type FieldCost } from '../../../core/graphql/field-cost.ts';
import { usesVariables } from './is-plain-field.ts';

/** Cost of a filter: it may find few rows, but all have to be examined. */
const FILTER = 20;

/**
 * So many values of a list argument are charged as one object; values of a filter are charged one each, since rows are
 * compared with all of them.
 */
const VALUES = 4;

/** Values by the names of variables or arguments. */
export type Values = Readonly<Record<string, unknown>>;

/** A field with the values of its arguments, whether they come from the document, a variable or a default. */
export interface Call {
  field: GraphQLField<unknown, unknown>;
  declared: FieldCost;
  args: Values;
  /** Cost of the field itself and its arguments. */
  own: number;
}

/** An argument of a field in a document. */
interface Argument {
  name: string;
  type: GraphQLInputType;
  isFilter: boolean;
  /** Its value in the document, if a variable is part of it. */
  variable: ValueNode | undefined;
  /** Its value, if none is. */
  constant: unknown;
}

/** What is known of a field in a document before its variables are. */
interface Shape {
  field: GraphQLField<unknown, unknown>;
  declared: FieldCost;
  args: readonly Argument[];
}

/** Documents are kept and run again, and the shapes of their fields with them. */
const shapes = new WeakMap<FieldNode, Shape>();

/** The values of an operation's variables: as sent, else their defaults. */
export function withDefaults(operation: OperationDefinitionNode, given: Values): Values {
  // Without a prototype: a variable may be named `__proto__`.
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const sent = Object.hasOwn(given, name) ? given[name] : undefined;
    if (sent !== undefined) values[name] = sent;
    else if (defaultValue) values[name] = valueFromASTUntyped(defaultValue);
  }
  return values;
}

/** Reads a field of a document, of the type that it is selected from. Undefined if there is no such field. */
export function readCall(
  schema: GraphQLSchema,
  node: FieldNode,
  typeName: string,
  variables: Values,
): Call | undefined {
  const shape = shapes.get(node) ?? readShape(schema, node, typeName);
  if (!shape) return undefined;
  const { field, declared } = shape;
  const args: Record<string, unknown> = {};
  let own = declared.weight ?? 0;
  for (const argument of shape.args) {
    const { name, variable } = argument;
    const sent = variable && readValue(variable, variables);
    const value = sent === undefined ? argument.constant : sent;
    args[name] = value;
    if (name === declared.rowsOf) continue;
    const values = countValues(argument.type, value);
    own += argument.isFilter ? values : Math.floor(values / VALUES);
    if (argument.isFilter && isFilled(value)) own += FILTER;
  }
  return { field, declared, args, own };
}

function readShape(schema: GraphQLSchema, node: FieldNode, typeName: string): Shape | undefined {
  const type = schema.getType(typeName);
  const field =
    isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
  if (!field) return undefined;
  const args = field.args.map(({ name, type: argType, defaultValue }): Argument => {
    const literal = node.arguments?.find((argument) => argument.name.value === name)?.value;
    const variable = literal && usesVariables(literal) ? literal : undefined;
    const written = literal && !variable ? valueFromASTUntyped(literal) : undefined;
    return {
      name,
      type: argType,
      isFilter: /^filter(Id)?$/.test(name),
      variable,
      constant: written === undefined ? defaultValue : written,
    };
  });
  const shape = { field, declared: costOfField(field), args };
  shapes.set(node, shape);
  return shape;
}

function readValue(node: ValueNode, variables: Values): unknown {
  return node.kind === Kind.VARIABLE
    ? variables[node.name.value]
    : valueFromASTUntyped(node, variables);
}

/** Number of values in the lists of an argument; the content of JSON scalars is not counted. */
function countValues(type: GraphQLInputType, value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const known = getNullableType(type);
  if (isListType(known))
    return Array.isArray(value)
      ? value.reduce<number>((sum, item) => sum + countValues(known.ofType, item), value.length)
      : countValues(known.ofType, value);
  if (!isInputObjectType(known)) return 0;
  const fields = known.getFields();
  let sum = 0;
  for (const [name, item] of Object.entries(value)) {
    const field = typeof item === 'object' ? fields[name] : undefined;
    if (field) sum += countValues(field.type, item);
  }
  return sum;
}

function isFilled(filter: unknown): boolean {
  return typeof filter === 'object' && filter !== null
    ? Object.values(filter).some((value) => value != null)
    : typeof filter === 'string' && filter !== '';
}
