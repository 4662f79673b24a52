import { builder } from './builder.ts';

/** GraphQL type FeedView. */
export const FeedViewEnum = builder.enumType('FeedView', {
  description: 'Whose feeds to list. REST: view_type.',
  values: {
    MY_VIEW: {
      value: 'MV',
      description:
        'Mine: assigned, owned, followed, watched, or addressed to my departments or unit. REST: MV.',
    },
    DEPARTMENT_VIEW: { value: 'DV', description: "My departments' feeds. REST: DV." },
    STORE_VIEW: { value: 'SV', description: "My unit's (store's) feeds. REST: SV." },
  } as const,
});
