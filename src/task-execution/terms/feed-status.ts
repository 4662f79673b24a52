/** One letter of the documented status table. */
export type FeedStatus = 'N' | 'R' | 'P' | 'O' | 'C' | 'F' | 'E';
export const feedStatuses: readonly FeedStatus[] = ['N', 'R', 'P', 'O', 'C', 'F', 'E'];

/** The GraphQL names of the letters. */
export const feedStatusNames = {
  NEW: 'N',
  REVIEWED: 'R',
  IN_PROGRESS: 'P',
  OVERDUE: 'O',
  COMPLETED: 'C',
  FORCE_CLOSED: 'F',
  EXPIRED: 'E',
} as const satisfies Record<string, FeedStatus>;

/** The GraphQL name of a letter. */
export function nameOfStatus(status: FeedStatus): string {
  return Object.entries(feedStatusNames).find(([, letter]) => letter === status)?.[0] ?? status;
}

/** The status of a letter in any case. */
export function parseFeedStatus(value: string): FeedStatus | undefined {
  return feedStatuses.find((status) => status === value.toUpperCase());
}
