import { buildSchema, findBreakingChanges } from 'graphql';

/** Breaking changes that are meant, as `breakingChanges` writes them, each with its reason. */
export type AllowedChanges = Readonly<Record<string, string>>;

/**
 * What of a schema breaks clients of the released one and is not allowed, one line each, e.g. `FIELD_REMOVED: Feed.color was removed.`; then what is allowed in vain: an entry
 * without a reason, or for a change that is not there (any more). Both schemas are SDL.
 */
export function breakingChanges(
  released: string,
  current: string,
  allowed: AllowedChanges,
): string[] {
  const found = findBreakingChanges(buildSchema(released), buildSchema(current)).map(
    ({ type, description }) => `${type}: ${description}`,
  );
  return [
    ...found.filter((change) => !(change in allowed)),
    ...Object.entries(allowed).flatMap(([change, reason]) => {
      if (!found.includes(change)) return [`allowed, but not a change: ${change}`];
      return reason.trim() === '' ? [`allowed without a reason: ${change}`] : [];
    }),
  ];
}
