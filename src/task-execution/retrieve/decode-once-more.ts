import { fold } from '../../core/text.ts';

/** Titles may be percent-encoded twice: decoded once more if that is possible, else unchanged (D-33). */
export function decodeOnceMore(title: string): string {
  if (!/%[0-9a-f]{2}/i.test(title)) return title;
  try {
    const decoded = decodeURIComponent(title);
    return fold(decoded) === '' ? title : decoded;
  } catch {
    return title;
  }
}
