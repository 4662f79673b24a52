/** Schemas of RFC 7643. */
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const cores = [USER_SCHEMA, GROUP_SCHEMA].map((schema) => `${schema.toLowerCase()}:`);
const extension = ENTERPRISE_SCHEMA.toLowerCase();

/**
 * The name of an attribute as the rest of the code knows it: in lower case, without the schema if that is a core one,
 * and `enterprise.…` for those of the enterprise extension.
 */
export function canonicalName(name: string): string {
  const lower = name.toLowerCase();
  if (lower === extension) return 'enterprise';
  if (lower.startsWith(`${extension}:`) || lower.startsWith(`${extension}.`))
    return `enterprise.${lower.slice(extension.length + 1)}`;
  const core = cores.find((prefix) => lower.startsWith(prefix));
  return core === undefined ? lower : lower.slice(core.length);
}
