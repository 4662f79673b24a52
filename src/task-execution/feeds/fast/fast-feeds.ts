// Writes pages of feeds as JSON directly from the bytes of their rows, for REST and for GraphQL. This file is the entry
// of the room: no other file of it is imported from outside. See docs/fast-lane.md.

export { preserialisedValue } from './preserialised-fields.ts';
export { preserialiseRest } from './rest-feeds.ts';
export { preserialisedLists } from './selected-feeds.ts';
