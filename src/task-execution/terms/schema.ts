import { builder } from '../../core/graphql/builder.ts';

export const FeedStatusEnum = builder.enumType('FeedStatus', {
  description: 'Status of a feed. REST: one letter.',
  values: {
    NEW: { value: 'N', description: 'Not looked at yet. REST: N.' },
    REVIEWED: { value: 'R', description: 'Looked at, not begun. REST: R.' },
    IN_PROGRESS: { value: 'P', description: 'Somebody works on it. REST: P.' },
    OVERDUE: {
      value: 'O',
      description:
        'Overdue: still open, and its end is longer ago than the configured number of days. Computed when it is read, so nobody can set it. REST: O.',
    },
    COMPLETED: { value: 'C', description: 'Done; final. REST: C.' },
    FORCE_CLOSED: { value: 'F', description: 'Closed without being done; final. REST: F.' },
    EXPIRED: {
      value: 'E',
      description: 'Its time to be done has passed; set by the system, final. REST: E.',
    },
  } as const,
});

export const OrderDirectionEnum = builder.enumType('OrderDirection', {
  description: 'Direction of a sort. REST: A or D.',
  values: {
    ASC: { description: 'Ascending. REST: A.' },
    DESC: { description: 'Descending. REST: D.' },
  } as const,
});
