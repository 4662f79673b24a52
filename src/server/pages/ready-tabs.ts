import { addDays, dayOf, isoDay } from '../../core/time/days.ts';

/** A tab of GraphiQL. */
export interface ReadyTab {
  query: string;
  variables?: string;
}

const feeds = `# Your work, the most urgent first.
# Sign in above, then press Ctrl-Enter.
# By keyboard: Enter to write, Escape to leave.
query MyWork {
  viewer {
    displayName
    feeds(first: 5, orderBy: [{ field: PRIORITY }]) {
      totalCount
      nodes { id feedKey feedTitle status priority endDateTime pinned }
      pageInfo { hasNextPage endCursor }
    }
  }
}
`;

const liveCounts = `# Events as they happen: the counts of these days
# come at once, and again after every change.
# For one, run CreateTask in another window.
subscription LiveCounts($from: LocalDate!, $to: LocalDate!) {
  feedCountsChanged(startDate: $from, endDate: $to) {
    total
    priorities { priorityDesc count }
  }
}
`;

const liveFeeds = `# Each changed feed as it changes.
subscription LiveFeeds {
  feedChanged {
    ... on FeedUpserted { cursor feed { feedKey feedTitle status priority } }
    ... on FeedRemoved { cursor feedKey }
  }
}
`;

const calendar = `query MyCalendar($from: LocalDate!, $to: LocalDate!) {
  viewer {
    calendar(source: CALENDAR, from: $from, to: $to) {
      ... on CalendarRange { layout calendarType selectedDates }
      ... on CalendarFeeds { feeds(first: 5) { nodes { feedTitle startDateTime endDateTime } } }
    }
  }
}
`;

const leadership = `# For leaders: sign in as one.
query Leadership($year: Int!, $month: Int!) {
  viewer {
    leadershipCalendar(type: MONTHLY, year: $year, month: $month) {
      categories { name }
      legends { name color }
      projects { projectTitle startDate endDate }
      monthlyNotes { note }
    }
  }
}
`;

const configuration = `query Configuration {
  viewer {
    configuration {
      calendar { defaultCalendarView }
      refresh { feedRefreshRate }
      filter { filterDateRange listTaskLimit }
    }
  }
}
`;

const datasets = `query Datasets {
  viewer {
    workspaces(first: 5) {
      nodes {
        name
        encrypted
        datasets(first: 5) { nodes { name status imagesCount images(first: 3) { nodes { name width height thumbnailUrl } } } }
        projects(first: 5) { nodes { name } }
      }
    }
  }
}
`;

const tracker = `# For supervisors; or for customers, with
# API-Key and customerId in Headers below.
mutation CreateTask($input: CreateExternalTaskInput!) {
  createExternalTask(input: $input) {
    ... on CreateExternalTaskPayload { task { uuid name priority status } }
    ... on UserError { code message }
  }
}
`;

const templates = `query Templates {
  taskTemplates(first: 5) { nodes { title } }
}
`;

const variables = (value: object): string => JSON.stringify(value, null, 2);

/** A tab for each part of the API, with dates around `now`. */
export function readyTabs(now: number): readonly ReadyTab[] {
  const day = dayOf(now);
  const week = variables({ from: isoDay(addDays(day, -3)), to: isoDay(addDays(day, 3)) });
  return [
    { query: feeds },
    { query: liveCounts, variables: week },
    { query: liveFeeds },
    { query: calendar, variables: week },
    {
      query: leadership,
      variables: variables({ year: Number(day.slice(0, 4)), month: Number(day.slice(4, 6)) }),
    },
    { query: configuration },
    { query: datasets },
    {
      query: tracker,
      variables: variables({ input: { name: 'Restock the milk', assignedTo: 'supervisor' } }),
    },
    { query: templates },
  ];
}
