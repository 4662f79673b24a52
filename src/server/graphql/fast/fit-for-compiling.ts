import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLSchema,
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

/**
 * Fields like `id` of a Node are compiled once for each type that it may be, which takes 7 ms of a node: so many fields
 * may have such a selection.
 */
const MOST_OF_ANY_TYPE = 4;

/** An operation that can be compiled. */
export interface Fit {
  /** True if it has lists that support pre-serialising, and all of them can be. */
  preserialises: boolean;
}

/**
 * Checks whether graphql-jit answers an operation exactly as graphql-js does; undefined if it may not. Only queries
 * without directives (see conditions.ts) and introspection fit: the two are known to differ on them. Of unions and interfaces,
 * fields without arguments that are scalars or enums, and fragments on object types: the two are known to differ on
 * fragments on interfaces. A type that is found by a promise would end with an error, which graphql-js puts right.
 */
export function fitForCompiling(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Fit | undefined {
  const root = schema.getRootType(operation.operation);
  if (!root || operation.operation === OperationTypeNode.MUTATION || operation.directives?.length)
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
  #ofAnyType = 0;

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

  /** Is each part a field without more, or a fragment on an object type? */
  #abstractFits({ selections }: SelectionSetNode, type: GraphQLAbstractType): boolean {
    const fields = 'getFields' in type ? type.getFields() : {};
    let ofAnyType = false;
    const fit = selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.FIELD) {
        const { value: name } = selection.name;
        const field = fields[name];
        if (name === '__typename') return true;
        ofAnyType = true;
        return field?.args.length === 0 && isLeafType(getNamedType(field.type));
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments[selection.name.value];
      const member = this.#schema
        .getPossibleTypes(type)
        .find(({ name }) => name === fragment?.typeCondition?.name.value);
      return (
        fragment !== undefined &&
        member !== undefined &&
        !fragment.directives?.length &&
        this.fits(fragment.selectionSet, member.name)
      );
    });
    return fit && (!ofAnyType || ++this.#ofAnyType <= MOST_OF_ANY_TYPE);
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
    if (isAbstractType(named))
      return selectionSet !== undefined && this.#abstractFits(selectionSet, named);
    if (selectionSet && !this.fits(selectionSet, named.name)) return false;
    const list = preserialisedListOf(field);
    if (list && selectionSet)
      this.lists.push(
        list.fits(selectionSet, { schema: this.#schema, fragments: this.#fragments }),
      );
    return true;
  }
}
