import {
  GraphQLError,
  OperationTypeNode,
  SingleFieldSubscriptionsRule,
  type ASTVisitor,
  type OperationDefinitionNode,
  type ValidationContext,
} from 'graphql';
import { fragmentsOf, walkSelection } from '../../../core/graphql/walk-selection.ts';

const CONDITIONS = new Set(['skip', 'include']);

/**
 * The rule of graphql-js that a subscription has one field at its root, which also refuses `@skip` and `@include` there,
 * as the specification does since September 2025: what is subscribed to can't depend on variables.
 */
export function oneSubscribedField(context: ValidationContext): ASTVisitor {
  const rule = SingleFieldSubscriptionsRule(context) as {
    OperationDefinition: (node: OperationDefinitionNode) => void;
  };
  return {
    OperationDefinition(node) {
      if (node.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const conditions = walkSelection([node.selectionSet], fragmentsOf(context.getDocument()))
        .flatMap(({ directives = [] }) => directives)
        .filter(({ name }) => CONDITIONS.has(name.value));
      if (conditions.length === 0) return rule.OperationDefinition(node);
      context.reportError(
        new GraphQLError('@skip and @include are not allowed at the root of a subscription', {
          nodes: conditions,
        }),
      );
    },
  };
}
