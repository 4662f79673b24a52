import { hasAlready, withETag } from '../../../core/rest/etag.ts';
import type { Route } from '../../../core/rest/route.ts';
import { readSubscribedCalendar } from './read-subscribed-calendar.ts';

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/calendar/{token}.ics',
    operation: 'readSubscribedCalendar',
    family: 'task',
    summary: 'The iCalendar text of a subscription; its token stands for the session.',
    parameters: [
      {
        name: 'token',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        description: 'Secret of the subscription.',
      },
    ],
    answer: { mediaTypes: ['text/calendar'], conditional: true },
    auth: 'none',
    mayBeMissing: true,
    run: async (ctx, request) => {
      const calendar = await readSubscribedCalendar(ctx, { token: request.path['token'] ?? '' });
      const { etag, bytes } = hasAlready(request, calendar.etag)
        ? { etag: calendar.etag, bytes: '' }
        : await calendar.read();
      return withETag(
        request,
        {
          headers: { 'content-type': 'text/calendar; charset=utf-8' },
          body: bytes,
        },
        etag,
      );
    },
    explain: () => ({
      steps: [{ field: 'viewer' }, { field: 'calendarSubscriptions' }],
      select: 'subscriptionId timeZone createdAt',
      notes: [
        'The iCalendar text is for calendar programs and has no counterpart in GraphQL, which makes, lists and revokes the subscriptions.',
      ],
    }),
  },
];
