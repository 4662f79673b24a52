import type { ObjectRef } from '@pothos/core';
import { builder } from './builder.ts';
import type { Connection } from '../lists/pagination.ts';
import { costs } from './field-cost.ts';

type Types = typeof builder.$inferSchemaTypes;

interface Edge<Node> {
  node: Node;
  cursor: string;
}

/** What the relay plugin reads of a page. */
export type RelayPage<Node, Page extends Connection<Node>> = Page &
  Pick<PageParts<Node>, 'edges' | 'pageInfo'>;

/**
 * The parts that are only made when they are selected. Getters of a class: with those of an object literal, V8 keeps
 * the page and all of its request until it collects old objects, and a page of 20 takes a tenth longer.
 */
class PageParts<Node> {
  readonly #page: Connection<Node>;

  constructor(page: Connection<Node>) {
    this.#page = page;
    Object.assign(this, page);
  }

  get edges(): Edge<Node>[] {
    const page = this.#page;
    return page.rows.map((node) => ({ node, cursor: page.cursor(node) }));
  }

  get pageInfo(): PageInfo<Node> {
    return new PageInfo(this.#page);
  }
}

/** Lets the relay plugin read a page. */
export async function relayPage<Node, Page extends Connection<Node>>(
  read: (Page & Connection<Node>) | Promise<Page & Connection<Node>>,
): Promise<RelayPage<Node, Page>> {
  return new PageParts(await read) as PageParts<Node> & Page;
}

/** What a page says of its place in the list. Its cursors, too, are only made when they are selected. */
class PageInfo<Node> {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #page: Connection<Node>;

  constructor(page: Connection<Node>) {
    this.hasNextPage = page.hasNextPage;
    this.hasPreviousPage = page.hasPreviousPage;
    this.#page = page;
  }

  get startCursor(): string | null {
    return this.#cursorAt(0);
  }

  get endCursor(): string | null {
    return this.#cursorAt(-1);
  }

  #cursorAt(index: number): string | null {
    const row = this.#page.rows.at(index);
    return row === undefined ? null : this.#page.cursor(row);
  }
}

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    extensions: costs({ weight: 20 }),
    description: 'Number of rows in the whole list; only counted when selected.',
    resolve: (page) => page.totalCount(),
  }),
);

/** Extensions of a connection's list fields. */
interface ListExtensions {
  nodes?: Record<string, unknown>;
  edges?: Record<string, unknown>;
}

/** Makes the connection and edge types of a node: `<name>Connection`, `<name>Edge`. */
export function connectionType<Node, Page extends Connection<Node> = Connection<Node>>(
  name: string,
  type: ObjectRef<Types, Node>,
  extensions: ListExtensions = {},
) {
  const edge = builder.edgeObject({
    type,
    name: `${name}Edge`,
    description: `${name} with its position in a list.`,
    nodeField: { description: `The ${name}.` },
  });
  const connection = builder.connectionObject(
    {
      type,
      name: `${name}Connection`,
      description: `A page of ${name} rows.`,
      edgesField: { ...(extensions.edges && { extensions: extensions.edges }) },
      fields: (t) => ({
        nodes: t.field({
          type: [type],
          description: 'The rows of the page, in the order of the list.',
          ...(extensions.nodes && { extensions: extensions.nodes }),
          resolve: (page) => page.rows as never,
        }),
      }),
    },
    edge,
  );
  return { connection: connection as ObjectRef<Types, RelayPage<Node, Page>>, edge };
}
