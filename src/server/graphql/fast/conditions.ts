import {
  Kind,
  visit,
  type DirectiveNode,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';

/** Each condition doubles the ways in which a document may be run: with more than this it is not compiled. */
const MOST_CONDITIONS = 4;

/** What decides which parts of a document are selected: the variables of its @skip and @include. */
export interface Conditions {
  variables: readonly string[];
  /** Also true if they name no variable. */
  any: boolean;
}

/** The conditions of a document; undefined if there are too many. */
export function conditionsOf(document: DocumentNode): Conditions | undefined {
  const variables = new Set<string>();
  let any = false;
  visit(document, {
    Directive(directive) {
      if (!isCondition(directive)) return;
      any = true;
      const value = directive.arguments?.[0]?.value;
      if (value?.kind === Kind.VARIABLE) variables.add(value.name.value);
    },
  });
  return variables.size > MOST_CONDITIONS ? undefined : { variables: [...variables], any };
}

/** The values of conditions in a request, each 0 or 1; undefined if one has no value, which graphql-js reports. */
export function valuesOf(
  { variables }: Conditions,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  let values = '';
  for (const name of variables) {
    const standard = operation.variableDefinitions?.find(
      ({ variable }) => variable.name.value === name,
    )?.defaultValue;
    const value =
      given[name] === undefined && standard?.kind === Kind.BOOLEAN ? standard.value : given[name];
    if (typeof value !== 'boolean') return undefined;
    values += value ? '1' : '0';
  }
  return values;
}

/** The document with what is selected when conditions have these values, and without conditions. */
export function withoutConditions(
  document: DocumentNode,
  { variables }: Conditions,
  values: string,
): DocumentNode {
  const isTrue = ({ arguments: given }: DirectiveNode): boolean => {
    const value = given?.[0]?.value;
    if (value?.kind === Kind.VARIABLE) return values[variables.indexOf(value.name.value)] === '1';
    return value?.kind === Kind.BOOLEAN && value.value;
  };
  const select = <Node extends { directives?: readonly DirectiveNode[] | undefined }>(
    node: Node,
  ): Node | null | undefined => {
    const conditions = node.directives?.filter(isCondition);
    if (!conditions?.length) return undefined;
    if (conditions.some((one) => isTrue(one) === (one.name.value === 'skip'))) return null;
    return { ...node, directives: node.directives?.filter((one) => !isCondition(one)) };
  };
  return visit(document, {
    Field: { enter: select },
    InlineFragment: { enter: select },
    FragmentSpread: { enter: select },
  });
}

function isCondition({ name }: DirectiveNode): boolean {
  return name.value === 'skip' || name.value === 'include';
}
