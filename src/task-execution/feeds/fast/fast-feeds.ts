// Pages of feeds as JSON straight from the bytes of their rows, for REST and for GraphQL.
// This file is the entry of the room: nothing else of it is imported from outside. docs/fast-lane.md tells what it is for.

export { preserialisedValue } from './preserialised-fields.ts';
export { preserialiseRest } from './rest-feeds.ts';
export { preserialisedLists } from './selected-feeds.ts';
