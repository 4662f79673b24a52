// JSON as bytes, for answers of many rows: text goes from the bytes of the database into the bytes of the answer
// without becoming strings in between. This file is the entry of the room: nothing else of it is imported from outside.
// docs/fast-lane.md tells what it is for.

export { releaseBuffer } from './buffer-pool.ts';
export { SAFE_DIGITS, writeCompactJson } from './compact-json.ts';
export { readInstant, writeWallTime } from './instant-bytes.ts';
export { JsonFragments } from './json-fragments.ts';
export { JsonWriter } from './json-writer.ts';
export {
  PreserialisedList,
  preserialisedListOf,
  type SelectionContext,
} from './preserialised-list.ts';
export { StoredJson } from './stored-json.ts';
