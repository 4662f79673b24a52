import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { loadVisibility, type VisibilityReason } from './load-visibility.ts';
import { FeedRef } from './schema-feed.ts';

const FeedVisibility = builder.enumType('FeedVisibility', {
  description: 'A reason for which you see a feed.',
  values: {
    MINE: {
      value: 'user',
      description: 'You are assigned to it, own it, follow it or watch it.',
    },
    ADDRESSED_TO_DEPARTMENT: {
      value: 'addressedDept',
      description: 'It is addressed to one of your departments.',
    },
    ADDRESSED_TO_UNIT: { value: 'addressedUnit', description: 'It is addressed to your unit.' },
    DEPARTMENT: { value: 'dept', description: 'It belongs to one of your departments.' },
    UNIT: { value: 'unit', description: 'It belongs to your unit.' },
    HOME_DEPARTMENT: {
      value: 'home',
      description:
        'It is confidential and belongs to one of your home departments: without this, no other reason would count.',
    },
  } as const satisfies Record<string, { value: VisibilityReason; description: string }>,
});

builder.objectField(FeedRef, 'visibility', (t) =>
  t.field({
    type: [FeedVisibility],
    extensions: costs({ weight: 1 }),
    description: 'Why you see it: each reason that holds; none if you do not see it any more.',
    resolve: ({ feedKey }, _, ctx) => loadVisibility(signedIn(ctx), feedKey),
  }),
);
