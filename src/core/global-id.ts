const BASE64 = /^(?:[\d+/A-Za-z]{4})*(?:[\d+/A-Za-z]{2}==|[\d+/A-Za-z]{3}=)?$/;

export interface GlobalId {
  typename: string;
  id: string;
}

/** Type and key in a global id, with or without base64 padding; undefined for anything else. */
export function readGlobalId(globalId: string): GlobalId | undefined {
  const bare = globalId.replace(/={1,2}$/, '');
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
  if (!BASE64.test(padded)) return undefined;
  const text = Buffer.from(padded, 'base64').toString();
  const [, typename, id] = /^([A-Z_a-z]\w*):([^:].*)$/s.exec(text) ?? [];
  return typename === undefined || id === undefined ? undefined : { typename, id };
}

/** The key in a global id of this type; undefined for anything else. */
export function decodeGlobalId(typename: string, globalId: string): string | undefined {
  const read = readGlobalId(globalId);
  return read?.typename === typename ? read.id : undefined;
}

/** The global id of an object: what GraphQL calls its `id`. */
export function encodeGlobalId(typename: string, id: string): string {
  return Buffer.from(`${typename}:${id}`).toString('base64');
}
