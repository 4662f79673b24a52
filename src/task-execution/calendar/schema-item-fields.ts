import { signedIn } from '../../auth/guards.ts';
import type { builder } from '../../core/graphql/builder.ts';
import { loadFeed } from '../feeds/load-feeds.ts';
import { FeedRef } from '../feeds/schema-feed.ts';

/** What every item of a calendar has. */
interface CalendarItem {
  projectId: number;
  projectTitle: string;
  projectType: string | null;
}

type Fields<Item> = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Item>;

/** The fields that projects and walks have in every calendar. */
export function itemFields<Item extends CalendarItem>(t: Fields<Item>, kind: 'project' | 'walk') {
  return {
    projectId: t.field({
      type: 'SafeInt',
      description: 'Key of the feed that it is. REST: project_id.',
      resolve: (item) => item.projectId,
    }),
    projectTitle: t.string({
      description: 'Title, as plain text. REST: project_title.',
      resolve: (item) => item.projectTitle,
    }),
    projectType: t.string({
      nullable: true,
      description: 'Id of its feed type; null if it has none. REST: project_type.',
      resolve: (item) => item.projectType,
    }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description: `The same ${kind} as a feed; null if it is gone since the calendar was read.`,
      resolve: (item, _, ctx) => loadFeed(signedIn(ctx), item.projectId),
    }),
  };
}
