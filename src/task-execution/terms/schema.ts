import { builder } from '../../core/graphql/builder.ts';

export const FeedStatusEnum = builder.enumType('FeedStatus', {
  description: 'Status of a feed. REST: one letter.',
  values: {
    NEW: { value: 'N', description: 'New. REST: N.' },
    REVIEWED: { value: 'R', description: 'Reviewed. REST: R.' },
    IN_PROGRESS: { value: 'P', description: 'In progress. REST: P.' },
    OVERDUE: {
      value: 'O',
      description:
        'Overdue: still open, and its end is longer ago than the configured number of days. Computed when read (D-50). REST: O.',
    },
    COMPLETED: { value: 'C', description: 'Completed. REST: C.' },
    FORCE_CLOSED: { value: 'F', description: 'Force-closed. REST: F.' },
    EXPIRED: { value: 'E', description: 'Expired. REST: E.' },
  } as const,
});

export const OrderDirectionEnum = builder.enumType('OrderDirection', {
  description: 'Direction of a sort. REST: A or D.',
  values: {
    ASC: { description: 'Ascending. REST: A.' },
    DESC: { description: 'Descending. REST: D.' },
  } as const,
});
