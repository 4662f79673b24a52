// The shorter way of a GraphQL request: over a transport without the classes of the fetch API, run as compiled code, with lists that are pre-serialised.
// This file is the entry of the room: nothing else of it is imported from outside. docs/fast-lane.md tells what it is for.

export { useCompiledQueries } from './compiled-queries.ts';
export { answerLean, leanContext, leanMediaType, useLeanResponses } from './lean-transport.ts';
