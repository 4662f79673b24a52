/**
 * Epoch milliseconds of an instant as PostgreSQL prints it in UTC: `2026-01-05 10:00:00.123+00`. Reads digit by digit:
 * a page has hundreds of them.
 */
export function epochMillis(instant: string): number {
  const year = twoDigits(instant, 0) * 100 + twoDigits(instant, 2);
  const fraction =
    instant.charCodeAt(19) === 0x2e
      ? Math.round(Number(`0${instant.slice(19, instant.indexOf('+'))}`) * 1000)
      : 0;
  const ms = Date.UTC(
    year,
    twoDigits(instant, 5) - 1,
    twoDigits(instant, 8),
    twoDigits(instant, 11),
    twoDigits(instant, 14),
    twoDigits(instant, 17),
    fraction,
  );
  // Date.UTC takes the years 0 to 99 as 1900 to 1999.
  return year < 100 ? new Date(ms).setUTCFullYear(year) : ms;
}

/** The number that two digits at a place of a text write. */
export function twoDigits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528;
}

/** `yyyy-MM-dd HH:mm:ss` of an instant, read as UTC. */
export function isoWall(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
