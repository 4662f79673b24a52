/**
 * Every expected failure, with the code that clients see. One row has what both surfaces need: the HTTP status of the
 * REST reply, the documented code (E9xx are ours, see docs/decisions.md) and the GraphQL `extensions.code`.
 */
export const errorCatalogue = {
  E111: {
    status: 400,
    graphql: 'BAD_USER_INPUT',
    message: 'retrieve-type must be one of list, count, list-latest',
  },
  E112: {
    status: 400,
    graphql: 'BAD_USER_INPUT',
    message: 'Send starting_after or ending_before, not both',
  },
  E114: { status: 400, graphql: 'BAD_USER_INPUT', message: 'start_date is required (yyyyMMdd)' },
  E115: { status: 400, graphql: 'BAD_USER_INPUT', message: 'end_date is required (yyyyMMdd)' },
  E116: {
    status: 400,
    graphql: 'RESYNC_REQUIRED',
    message: 'from_time is older than the maximum refresh interval: reload with list',
  },
  E140: {
    status: 400,
    graphql: 'BAD_USER_INPUT',
    message:
      'source_id is required (CALENDAR, STORE_PROJECTS, STORE_SUGGESTED_DATE_PROJECTS or STORE_WALK_CAL)',
  },
  E142: { status: 400, graphql: 'BAD_USER_INPUT', message: 'from_date is required (yyyyMMdd)' },
  E143: { status: 400, graphql: 'BAD_USER_INPUT', message: 'to_date is required (yyyyMMdd)' },
  E144: { status: 400, graphql: 'BAD_USER_INPUT', message: 'cal_type is required (M or A)' },
  E145: { status: 400, graphql: 'BAD_USER_INPUT', message: 'month_no is required (1 to 12)' },
  E146: { status: 400, graphql: 'BAD_USER_INPUT', message: 'year is required (four digits)' },
  E147: { status: 400, graphql: 'BAD_USER_INPUT', message: 'from_date is after to_date' },
  E202: { status: 401, graphql: 'UNAUTHENTICATED', message: 'Session token missing or invalid' },
  E203: {
    status: 400,
    graphql: 'BAD_USER_INPUT',
    message:
      'config_type must hold CALENDAR, FEED, ATTACHMENT, SMART_SEARCH, REFRESH, FILTER, FEED_COMPONENT or ALL, and no empty value',
  },
  E302: { status: 500, graphql: 'INTERNAL_SERVER_ERROR', message: 'Unexpected server error' },
  E404: { status: 200, graphql: 'NOT_FOUND', message: 'No data found' },
  E900: { status: 400, graphql: 'BAD_USER_INPUT', message: 'Invalid parameter' },
  E901: { status: 400, graphql: 'BAD_CURSOR', message: 'The cursor is not usable here' },
  E902: { status: 429, graphql: 'RATE_LIMITED', message: 'Too many requests' },
  E903: {
    status: 413,
    graphql: 'PAYLOAD_TOO_LARGE',
    message: 'The payload is too large or of an unsupported type',
  },
} as const;

/** A code that REST clients see. */
export type LegacyCode = keyof typeof errorCatalogue;
