import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** What is needed of a document, and of the schema that it was written for, to know what a selection means. */
export type SelectionContext = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

/** How the rows of a list are written as JSON before the rest of an answer. */
interface Writer<Source> {
  /** Can everything that is selected of a row be written so? */
  fits: (this: void, selected: SelectionSetNode, context: SelectionContext) => boolean;
  /**
   * Writes what the field selects of the rows, as the array that stands in the answer. Throws where GraphQL would
   * report an error.
   */
  write: (this: void, source: Source, info: GraphQLResolveInfo) => Buffer;
}

/**
 * A list field of GraphQL says by an extension of this class, `extensions: { preserialised }`, that its rows can be
 * pre-serialised.
 */
export class PreserialisedList<Source = unknown> {
  readonly fits: Writer<Source>['fits'];
  readonly write: Writer<Source>['write'];

  constructor({ fits, write }: Writer<Source>) {
    this.fits = fits;
    this.write = write;
  }
}

/** What a field says of itself; undefined for a field that is no such list. */
export function preserialisedListOf({
  extensions,
}: {
  extensions: Readonly<Record<string, unknown>>;
}): PreserialisedList | undefined {
  const { preserialised } = extensions;
  return preserialised instanceof PreserialisedList ? preserialised : undefined;
}
