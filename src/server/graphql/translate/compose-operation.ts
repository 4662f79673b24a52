import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  parseType,
  print,
  valueFromASTUntyped,
  type ConstValueNode,
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Translation } from '../../../core/rest/route.ts';
import { operationCost } from '../limits/operation-cost.ts';
import { inputLiteral, isComplete } from './input-literal.ts';

/** An operation as text, with everything that a client needs to send it. */
export interface ComposedOperation {
  kind: 'QUERY' | 'MUTATION';
  /** The fields from the root to the answer, such as `viewer.feeds`. */
  field: string;
  text: string;
  variables: Record<string, unknown>;
  /**
   * The text with the variables' values as defaults, so that it runs by itself; null if a value can't be written down,
   * such as a file.
   */
  standalone: string | null;
  cost: number;
}

/** Writes a translation as an operation of this name. Each argument becomes a variable of the schema's type. */
export function composeOperation(
  schema: GraphQLSchema,
  name: string,
  { steps, select }: Translation,
): ComposedOperation {
  const mutation = schema.getMutationType();
  const isMutation = steps[0] !== undefined && mutation?.getFields()[steps[0].field] !== undefined;
  let type: GraphQLNamedType | null | undefined = isMutation ? mutation : schema.getQueryType();
  const given: { definition: VariableDefinitionNode; literal: ConstValueNode }[] = [];
  let complete = true;
  let [before, after] = ['', ''];
  for (const { field: fieldName, args = {}, on, beside = '' } of steps) {
    if (on !== undefined) {
      const narrowed = schema.getType(on);
      type = isObjectType(narrowed) ? narrowed : undefined;
      before += ` ... on ${on} {`;
      after += ' }';
    }
    const field: GraphQLField<unknown, unknown> | undefined =
      isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
    if (!field) throw new Error(`The schema has no field ${fieldName} here`);
    const named = Object.entries(args).filter(([, value]) => value !== undefined);
    for (const [argument, value] of named) {
      const declared = field.args.find((one) => one.name === argument);
      if (!declared) throw new Error(`${fieldName} has no argument ${argument}`);
      const literal = inputLiteral(declared.type, value);
      complete &&= isComplete(declared.type, literal);
      const definition: VariableDefinitionNode = {
        kind: Kind.VARIABLE_DEFINITION,
        variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: argument } },
        type: parseType(String(declared.type)),
      };
      given.push({ definition, literal });
    }
    before += ` ${beside} ${fieldName}${named.length > 0 ? `(${named.map(([argument]) => `${argument}: $${argument}`).join(' ')})` : ''} {`;
    after += ' }';
    type = getNamedType(field.type);
  }
  const operation = soleOperation(
    parse(`${isMutation ? 'mutation' : 'query'} ${name} {${before} ${select} ${after} }`),
  );
  const write = (variableDefinitions: VariableDefinitionNode[]): DocumentNode => ({
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, variableDefinitions }],
  });
  const document = write(given.map(({ definition }) => definition));
  const variables = Object.fromEntries(
    given.map(({ definition, literal }) => [
      definition.variable.name.value,
      valueFromASTUntyped(literal),
    ]),
  );
  return {
    kind: isMutation ? 'MUTATION' : 'QUERY',
    field: steps.map(({ field }) => field).join('.'),
    text: print(document),
    variables,
    standalone: complete
      ? print(
          write(given.map(({ definition, literal }) => ({ ...definition, defaultValue: literal }))),
        )
      : null,
    cost: operationCost(schema, document, soleOperation(document), variables),
  };
}

function soleOperation(document: DocumentNode): OperationDefinitionNode {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('not an operation');
  return operation;
}
