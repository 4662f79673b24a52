import {
  isInputType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

interface Variable {
  name: string;
  /** Undefined for a type that is none of the schema's inputs. */
  type: GraphQLInputType | undefined;
}

const known = new WeakMap<OperationDefinitionNode, readonly Variable[]>();

/** The variables of an operation; looked up once for documents that are kept. */
export function variableTypes(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): readonly Variable[] {
  let variables = known.get(operation);
  if (!variables) {
    variables = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
      const found = typeFromAST(schema, type);
      return { name: variable.name.value, type: isInputType(found) ? found : undefined };
    });
    known.set(operation, variables);
  }
  return variables;
}
