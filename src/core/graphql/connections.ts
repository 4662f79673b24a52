import type { FieldMap, ObjectRef } from '@pothos/core';
import { builder } from './builder.ts';
import type { Connection, PageInfo } from '../lists/pagination.ts';
import { costs } from './field-cost.ts';

interface PageInfoShape extends PageInfo {
  startCursor: string | null;
  endCursor: string | null;
}

const PageInfoRef = builder.objectRef<PageInfoShape>('PageInfo').implement({
  description: 'Where a page lies in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Exact: rows follow the page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Exact: rows precede the page.',
    }),
    startCursor: t.expose('startCursor', {
      type: 'Cursor',
      nullable: true,
      description:
        'Position of the first row. REST: `previous_cursor` (null there when hasPreviousPage is false).',
    }),
    endCursor: t.expose('endCursor', {
      type: 'Cursor',
      nullable: true,
      description:
        'Position of the last row. REST: `next_cursor` (null there when hasNextPage is false).',
    }),
  }),
});

/** Relay's four paging arguments. */
export const connectionArgs = builder.args((t) => ({
  first: t.int({ description: 'Rows of a page read forward, 0 to 100.' }),
  after: t.field({ type: 'Cursor', description: 'Read on behind this position.' }),
  last: t.int({ description: 'Rows of a page read backward, 0 to 100.' }),
  before: t.field({ type: 'Cursor', description: 'Read back from this position.' }),
}));

type Types = typeof builder.$inferSchemaTypes;

export interface Edge<Node> {
  node: Node;
  cursor: string;
}

export interface ConnectionTypes<Node, Shape extends Connection<Node>> {
  connection: ObjectRef<Types, Shape>;
  /** What a mutation returns of a new row, so that a client can put it into its list. */
  edge: ObjectRef<Types, Edge<Node>>;
}

/** What the list fields of a connection say of themselves. */
interface ListExtensions {
  nodes?: Record<string, unknown>;
  edges?: Record<string, unknown>;
}

/**
 * Makes the connection and edge types of a node: `<name>Connection`, `<name>Edge`; `extra` adds fields to the connection, `extensions` what its lists say of
 * themselves.
 */
export function connectionType<Node, Shape extends Connection<Node> = Connection<Node>>(
  name: string,
  node: ObjectRef<Types, Node>,
  extra: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Shape>) => FieldMap = () => ({}),
  extensions: ListExtensions = {},
): ConnectionTypes<Node, Shape> {
  const edge = builder.objectRef<Edge<Node>>(`${name}Edge`);
  edge.implement({
    description: `A ${name} at its place in a list.`,
    fields: (t) => ({
      cursor: t.field({
        type: 'Cursor',
        description: 'Position of the row.',
        resolve: (row) => row.cursor,
      }),
      node: t.field({
        type: node,
        description: `The ${name}.`,
        resolve: (row) => row.node as never,
      }),
    }),
  });
  const connection = builder.objectRef<Shape>(`${name}Connection`);
  connection.implement({
    description: `A page of ${name} rows.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The rows with their positions.',
        ...(extensions.edges && { extensions: extensions.edges }),
        resolve: (page) => page.rows.map((row) => ({ node: row, cursor: page.cursor(row) })),
      }),
      nodes: t.field({
        type: [node],
        description: 'The rows of the page without their positions, in the order of the list.',
        ...(extensions.nodes && { extensions: extensions.nodes }),
        resolve: (page) => page.rows as never,
      }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'Where the page lies in the list.',
        resolve: (page) => pageInfo(page),
      }),
      totalCount: t.int({
        extensions: costs({ weight: 20 }),
        description: 'Rows of the whole list; counted only when selected.',
        resolve: (page) => page.totalCount(),
      }),
      ...extra(t),
    }),
  });
  return { connection, edge };
}

function pageInfo<Node>(page: Connection<Node>): PageInfoShape {
  const [first, last] = [page.rows[0], page.rows.at(-1)];
  return {
    hasNextPage: page.hasNextPage,
    hasPreviousPage: page.hasPreviousPage,
    startCursor: first === undefined ? null : page.cursor(first),
    endCursor: last === undefined ? null : page.cursor(last),
  };
}
