import { encodeGlobalID } from '@pothos/plugin-relay';
import {
  getNullableType,
  isLeafType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { graphqlJson, type CellJson } from './feed-codecs.ts';
import { columnOf, feedColumns } from './feed-fields.ts';
import { feedTemplate, writeFeeds, type FeedPart, type FeedTemplate } from './feed-json.ts';
import type { FeedLayout, FeedRow } from './feed-row.ts';

/** The list fields of a FeedConnection. */
export type FeedListField = 'nodes' | 'edges';

type Document = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

/** The rows of a page, and the cursor of each. */
interface Rows {
  rows: readonly FeedRow[];
  cursor(row: FeedRow): string;
}

/** A field of an answer: its name in the schema, and what is selected below it wherever it is named. */
interface Selected {
  key: string;
  name: string;
  below: SelectionSetNode[];
}

/** May what is selected of `nodes` or `edges` be written from the bytes of the rows? So it is when it ends at values that are columns; there are no directives. */
export function isWritable(
  field: FeedListField,
  set: SelectionSetNode,
  document: Document,
): boolean {
  return field === 'nodes'
    ? collect([set], document).every(({ name }) => isWritableField(name, document.schema))
    : collect([set], document).every(
        ({ name, below }) =>
          name === 'cursor' ||
          name === '__typename' ||
          (name === 'node' && below.every((feed) => isWritable('nodes', feed, document))),
      );
}

function isWritableField(name: string, schema: GraphQLSchema): boolean {
  return (
    name === '__typename' ||
    name === 'id' ||
    (columnOf.has(name) && fieldOf(name, schema) !== undefined)
  );
}

const templates = new WeakMap<FieldNode, WeakMap<FeedLayout, FeedTemplate>>();

/** Writes what is selected of the rows of a page: `nodes` or `edges` as it stands in a GraphQL answer. Throws where a value that must be there is missing. */
export function writeSelectedFeeds(
  field: FeedListField,
  page: Rows,
  info: Document & Pick<GraphQLResolveInfo, 'fieldNodes'>,
): Buffer {
  const [first] = page.rows;
  if (!first) return Buffer.from('[]');
  const make = (): FeedTemplate => {
    const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const parts =
      field === 'nodes'
        ? feedParts(sets, first.layout, info, '')
        : edgeParts(sets, first.layout, info);
    return feedTemplate(parts.parts, parts.after);
  };
  return writeFeeds(page.rows, templateOf(info.fieldNodes, first.layout, make), {
    cursor: (feed) => page.cursor(feed),
  });
}

/** A template belongs to the place where it is selected, of which there are several when fields of one key were merged. */
function templateOf(
  nodes: readonly FieldNode[],
  layout: FeedLayout,
  make: () => FeedTemplate,
): FeedTemplate {
  const [node] = nodes;
  if (!node || nodes.length > 1) return make();
  let known = templates.get(node);
  if (!known) templates.set(node, (known = new WeakMap()));
  let template = known.get(layout);
  if (!template) known.set(layout, (template = make()));
  return template;
}

interface Parts {
  parts: FeedPart[];
  after: string;
}

/** `{"a":1,"b":2}` of a feed, where `before` stands before it. */
function feedParts(
  sets: readonly SelectionSetNode[],
  layout: FeedLayout,
  document: Document,
  before: string,
): Parts {
  const parts: FeedPart[] = [];
  let text = `${before}{`;
  collect(sets, document).forEach(({ key, name }, index) => {
    text += `${index === 0 ? '' : ','}"${key}":`;
    if (name === '__typename') {
      text += '"Feed"';
      return;
    }
    parts.push({ before: text, ...cellPart(name, layout, document.schema) });
    text = '';
  });
  return { parts, after: `${text}}` };
}

function edgeParts(
  sets: readonly SelectionSetNode[],
  layout: FeedLayout,
  document: Document,
): Parts {
  const parts: FeedPart[] = [];
  let text = '{';
  collect(sets, document).forEach(({ key, name, below }, index) => {
    text += `${index === 0 ? '' : ','}"${key}":`;
    if (name === '__typename') {
      text += '"FeedEdge"';
    } else if (name === 'cursor') {
      parts.push({ before: text, isCursor: true });
      text = '';
    } else {
      const node = feedParts(below, layout, document, text);
      parts.push(...node.parts);
      text = node.after;
    }
  });
  return { parts, after: `${text}}` };
}

function cellPart(
  name: string,
  layout: FeedLayout,
  schema: GraphQLSchema,
): { place: number; json: CellJson } {
  if (name === 'id')
    return {
      place: layout.columns.get('feed_key')?.place ?? -1,
      json: {
        null: undefined,
        bytes: undefined,
        text: (key) => JSON.stringify(encodeGlobalID('Feed', key)),
      },
    };
  const column = columnOf.get(name);
  const field = fieldOf(name, schema);
  const place = column && layout.columns.get(column)?.place;
  if (column === undefined || place === undefined || !field)
    throw new Error(`the feeds were read without ${name}`);
  return { place, json: graphqlJson(feedColumns[column].type, field) };
}

/** The type of a field that is a value, and read from a column as it is. */
function fieldOf(
  name: string,
  schema: GraphQLSchema,
): { nullable: boolean; leaf: Parameters<typeof graphqlJson>[1]['leaf'] } | undefined {
  const feed = schema.getType('Feed');
  const field = isObjectType(feed) ? feed.getFields()[name] : undefined;
  const leaf = field && getNullableType(field.type);
  return field && !field.resolve && isLeafType(leaf)
    ? { nullable: leaf === field.type, leaf }
    : undefined;
}

/** What is selected, by the keys of the answer in their order; the types of fragments are right, see isFit of the server. */
function collect(
  sets: readonly SelectionSetNode[],
  { fragments }: Pick<Document, 'fragments'>,
  found = new Map<string, Selected>(),
): Selected[] {
  for (const selection of sets.flatMap((set) => set.selections)) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const entry = found.get(key) ?? { key, name: selection.name.value, below: [] };
      if (selection.selectionSet) entry.below.push(selection.selectionSet);
      found.set(key, entry);
    } else {
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (fragment) collect([fragment.selectionSet], { fragments }, found);
    }
  }
  return [...found.values()];
}
