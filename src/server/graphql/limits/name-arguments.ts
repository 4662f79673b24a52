import {
  GraphQLError,
  Kind,
  ValuesOfCorrectTypeRule,
  type ASTNode,
  type ASTVisitor,
  type ValidationContext,
} from 'graphql';
import { isRecord } from '../../../core/json-values.ts';

type Path = readonly (string | number)[];

/** What the rule does with a node of one kind. */
type Visit = (node: ASTNode) => unknown;

/**
 * The rule of graphql-js about values in a document, which also says of a wrong one where it is: in which argument of
 * which field, and where inside it. Scalars only know the value.
 */
export function namedArguments(context: ValidationContext): ASTVisitor {
  let place = '';
  let at: ASTNode | undefined;
  const named = Object.create(context, {
    reportError: {
      value: (error: GraphQLError) => {
        context.reportError(
          new GraphQLError(`${place}${error.message}`, {
            nodes: error.nodes ?? at ?? null,
            extensions: error.extensions,
          }),
        );
      },
    },
  }) as ValidationContext;
  const rule = ValuesOfCorrectTypeRule(named);
  const visitors = Object.entries<Visit>(rule as Record<string, Visit>).map(([kind, visit]) => [
    kind,
    (node: ASTNode, ...[, , path]: [unknown, unknown, Path]): unknown => {
      place = describePlace(context.getDocument(), path);
      at = node;
      return visit(node);
    },
  ]);
  return Object.fromEntries(visitors) as ASTVisitor;
}

/** Such as `Argument "filter.selectedDates[0]" of "feeds": `; empty outside arguments. */
function describePlace(document: ASTNode, path: Path): string {
  let node: unknown = document;
  let field = '';
  let argument = '';
  for (const key of path) {
    const inList = Array.isArray(node) && argument !== '';
    node = Reflect.get(Object(node), key);
    if (!isNode(node)) continue;
    if (node.kind === Kind.FIELD) field = node.name.value;
    else if (node.kind === Kind.DIRECTIVE) field = `@${node.name.value}`;
    else if (node.kind === Kind.ARGUMENT) argument = node.name.value;
    else if (node.kind === Kind.OBJECT_FIELD) argument += `.${node.name.value}`;
    else if (inList) argument += `[${key}]`;
  }
  return argument === '' ? '' : `Argument "${argument}" of "${field}": `;
}

function isNode(value: unknown): value is ASTNode {
  return isRecord(value) && 'kind' in value;
}
