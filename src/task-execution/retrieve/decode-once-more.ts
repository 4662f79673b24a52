/** Titles may be percent-encoded twice: decoded once more if that is possible, else unchanged (D-33). */
export function decodeOnceMore(title: string): string {
  try {
    return decodeURIComponent(title);
  } catch {
    return title;
  }
}
