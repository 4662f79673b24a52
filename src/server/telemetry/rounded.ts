/** Milliseconds with one decimal. */
export function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
