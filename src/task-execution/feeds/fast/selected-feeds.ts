import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import { mergeFields } from '../../../core/graphql/walk-selection.ts';
import { PreserialisedList, type SelectionContext } from '../../../core/json/json.ts';
import type { Page } from '../../../core/lists/pagination.ts';
import type { FeedLayout, FeedRow } from '../fields/feed-row.ts';
import { feedTemplate, type FeedPart, type FeedTemplate } from './feed-template.ts';
import { canPreserialise, preserialisedPart } from './preserialised-fields.ts';
import { writeFeeds } from './write-feeds.ts';

/**
 * The extensions that declare that the lists of a FeedConnection can be pre-serialised, if only plain values are
 * selected.
 */
export const preserialisedLists = {
  nodes: { preserialised: preserialisedList(fitsFeed, feedParts) },
  edges: { preserialised: preserialisedList(fitsEdge, edgeParts) },
};

/** The parts of a template, and the text after the last one. */
interface Parts {
  parts: FeedPart[];
  after: string;
}

type MakeParts = (
  sets: readonly SelectionSetNode[],
  layout: FeedLayout,
  context: SelectionContext,
) => Parts;

function preserialisedList(
  fits: PreserialisedList['fits'],
  make: MakeParts,
): PreserialisedList<Pick<Page<FeedRow>, 'rows' | 'cursor'>> {
  const templates = new WeakMap<FieldNode, WeakMap<FeedLayout, FeedTemplate>>();
  const makeTemplate = (info: GraphQLResolveInfo, layout: FeedLayout): FeedTemplate => {
    const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const { parts, after } = make(sets, layout, info);
    return feedTemplate(parts, after);
  };
  // A template belongs to the selection of a list; there are several when fields with the same key were merged.
  const templateOf = (info: GraphQLResolveInfo, layout: FeedLayout): FeedTemplate => {
    const [node] = info.fieldNodes;
    if (!node || info.fieldNodes.length > 1) return makeTemplate(info, layout);
    let known = templates.get(node);
    if (!known) templates.set(node, (known = new WeakMap()));
    let template = known.get(layout);
    if (!template) known.set(layout, (template = makeTemplate(info, layout)));
    return template;
  };
  return new PreserialisedList({
    fits,
    write(page, info) {
      const [first] = page.rows;
      if (!first) return Buffer.from('[]');
      return writeFeeds(page.rows, templateOf(info, first.layout), {
        cursor: (feed) => page.cursor(feed),
      });
    },
  });
}

function fitsFeed(selected: SelectionSetNode, { fragments, schema }: SelectionContext): boolean {
  return mergeFields([selected], fragments).every(({ name }) => canPreserialise(name, schema));
}

function fitsEdge(selected: SelectionSetNode, context: SelectionContext): boolean {
  return mergeFields([selected], context.fragments).every(
    ({ name, below }) =>
      name === 'cursor' ||
      name === '__typename' ||
      (name === 'node' && below.every((feed) => fitsFeed(feed, context))),
  );
}

/** `{"a":1,"b":2}` of a feed. */
function feedParts(
  sets: readonly SelectionSetNode[],
  layout: FeedLayout,
  { fragments, schema }: SelectionContext,
): Parts {
  const parts: FeedPart[] = [];
  let text = '{';
  mergeFields(sets, fragments).forEach(({ key, name }, index) => {
    text += `${index === 0 ? '' : ','}"${key}":`;
    if (name === '__typename') {
      text += '"Feed"';
      return;
    }
    parts.push({ before: text, ...preserialisedPart(name, layout, schema) });
    text = '';
  });
  return { parts, after: `${text}}` };
}

/** `{"cursor":"…","node":{…}}` of an edge. */
function edgeParts(
  sets: readonly SelectionSetNode[],
  layout: FeedLayout,
  context: SelectionContext,
): Parts {
  const parts: FeedPart[] = [];
  let text = '{';
  mergeFields(sets, context.fragments).forEach(({ key, name, below }, index) => {
    text += `${index === 0 ? '' : ','}"${key}":`;
    if (name === '__typename') {
      text += '"FeedEdge"';
    } else if (name === 'cursor') {
      parts.push({ before: text, isCursor: true });
      text = '';
    } else {
      const node = feedParts(below, layout, context);
      node.parts.forEach((part, place) =>
        parts.push(place === 0 ? { ...part, before: text + part.before } : part),
      );
      text = node.parts.length > 0 ? node.after : text + node.after;
    }
  });
  return { parts, after: `${text}}` };
}
