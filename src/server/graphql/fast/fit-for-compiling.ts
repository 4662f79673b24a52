import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type GraphQLUnionType,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  fragmentsOf,
  walkSelection,
  type Fragments,
} from '../../../core/graphql/walk-selection.ts';
import { preserialisedListOf } from '../../../core/json/json.ts';

/** An operation that can be compiled. */
export interface Fit {
  /** True if it has lists that support pre-serialising, and all of them can be. */
  preserialises: boolean;
}

/**
 * Checks whether graphql-jit answers an operation exactly as graphql-js does; undefined if it may not. Only queries of
 * object types, unions of them, scalars and enums fit, without directives and introspection: the two are known to differ
 * on interfaces, @include and @skip. A union is selected by fragments on its members. One that finds its member by a
 * promise would end with an error, which graphql-js puts right.
 */
export function fitForCompiling(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Fit | undefined {
  const root = schema.getQueryType();
  if (!root || operation.operation !== OperationTypeNode.QUERY || operation.directives?.length)
    return undefined;
  const search = new Search(schema, fragmentsOf(document));
  return search.fits(operation.selectionSet, root.name)
    ? { preserialises: search.lists.length > 0 && search.lists.every(Boolean) }
    : undefined;
}

class Search {
  /** For each list that supports pre-serialising: can it be done with this selection? */
  readonly lists: boolean[] = [];
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;

  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  fits(set: SelectionSetNode, typeName: string): boolean {
    return walkSelection([set], this.#fragments).every(
      (selection) =>
        !selection.directives?.length &&
        (selection.kind === Kind.FIELD
          ? this.#fieldFits(selection, typeName)
          : this.#fragmentFits(selection, typeName)),
    );
  }

  /** Is each part `__typename`, or a fragment on a member of the union? */
  #unionFits({ selections }: SelectionSetNode, union: GraphQLUnionType): boolean {
    return selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.FIELD) return selection.name.value === '__typename';
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments[selection.name.value];
      const member = union
        .getTypes()
        .find(({ name }) => name === fragment?.typeCondition?.name.value);
      return (
        fragment !== undefined &&
        member !== undefined &&
        !fragment.directives?.length &&
        this.fits(fragment.selectionSet, member.name)
      );
    });
  }

  /** Is the fragment on exactly this type? */
  #fragmentFits(selection: Exclude<SelectionNode, FieldNode>, typeName: string): boolean {
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return (selection.typeCondition?.name.value ?? typeName) === typeName;
    const fragment = this.#fragments[selection.name.value];
    return fragment?.typeCondition.name.value === typeName && !fragment.directives?.length;
  }

  #fieldFits({ name, selectionSet }: FieldNode, typeName: string): boolean {
    if (name.value === '__typename') return true;
    const type = this.#schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[name.value] : undefined;
    if (!field) return false;
    const named = getNamedType(field.type);
    if (isInterfaceType(named)) return false;
    if (isUnionType(named))
      return selectionSet !== undefined && this.#unionFits(selectionSet, named);
    if (selectionSet && !this.fits(selectionSet, named.name)) return false;
    const list = preserialisedListOf(field);
    if (list && selectionSet)
      this.lists.push(
        list.fits(selectionSet, { schema: this.#schema, fragments: this.#fragments }),
      );
    return true;
  }
}
