// The fast lane of GraphQL requests: a transport without the classes of the fetch API, compiled queries, and
// pre-serialised lists. This file is the entry of the room: no other file of it is imported from outside. See
// docs/fast-lane.md.

export { CompiledQueries, useCompiledQueries } from './compiled-queries.ts';
export {
  answerLean,
  isLean,
  leanContext,
  noteSource,
  Subscribed,
  useLeanResponses,
} from './lean-transport.ts';
export { RepeatedOperations } from './repeated-operations.ts';
export { sendEvents } from './send-events.ts';
