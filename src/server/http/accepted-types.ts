/** What the header Accept of a GraphQL request allows, read as Yoga reads it: in order, whatever `q` says. */
export interface AcceptedTypes {
  /** The media type of a single result; undefined if neither is accepted. */
  result: 'application/json' | 'application/graphql-response+json' | undefined;
  /** Whether results may come as server-sent events. */
  events: boolean;
  /** Whether a result may come as multipart/mixed. */
  parts: boolean;
  /** Whether JSON Lines are asked for, before a single result. */
  lines: boolean;
}

const RESULT_TYPES = ['application/json', 'application/graphql-response+json'] as const;

/** JSON Lines, by their name and by that of NDJSON: never meant by a wildcard. */
const LINE_TYPES: readonly string[] = ['application/jsonl', 'application/x-ndjson'];

/** Most headers that are remembered, and the longest of them: few clients have more than one. */
const MOST_KNOWN = 100;
const LONGEST_KNOWN = 200;
/** Most media ranges of a header that are read: it comes before anyone is authenticated. */
const MOST_RANGES = 100;
const known = new Map<string, AcceptedTypes>();

export function acceptedTypes(accept: string | null | undefined): AcceptedTypes {
  const header = accept || '*/*';
  let types = known.get(header);
  if (types) return types;
  types = read(header);
  if (header.length > LONGEST_KNOWN) return types;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(header, types);
  return types;
}

function read(header: string): AcceptedTypes {
  const types: AcceptedTypes = {
    result: undefined,
    events: false,
    parts: false,
    lines: false,
  };
  for (const given of header.replace(/\s/g, '').toLowerCase().split(',', MOST_RANGES)) {
    const [range = '', ...parameters] = given.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') continue;
    types.lines ||= types.result === undefined && LINE_TYPES.includes(range);
    types.result ??= RESULT_TYPES.find((type) => matches(range, type));
    types.events ||= matches(range, 'text/event-stream');
    types.parts ||= matches(range, 'multipart/mixed');
  }
  return types;
}

function matches(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  const [main, sub] = range.split('/');
  const [ofType, ofSub] = type.split('/');
  return (main === '*' || main === ofType) && (sub === '*' || sub === ofSub);
}
