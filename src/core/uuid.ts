/** Is it a UUID as PostgreSQL prints it: in lower case, with hyphens? */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text);
}

/** A UUID with or without hyphens, in any case, normalised to PostgreSQL's form; undefined for anything else. */
export function parseUuid(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (isUuid(lower)) return lower;
  return /^[0-9a-f]{32}$/.test(lower)
    ? lower.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : undefined;
}
