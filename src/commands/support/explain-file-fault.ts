const NO_SPACE = 'no space is left; make room, or name another place';

/** What the system says of a file or folder that can't be used as the arguments or the environment want. */
const reasons: Record<string, string> = {
  EACCES: 'this user has no permission; run the command as one that has, or name another place',
  EDQUOT: NO_SPACE,
  EEXIST: 'exists already, and not as what is needed there; move it away, or name another place',
  EFBIG: NO_SPACE,
  EISDIR: 'is a folder, where a file is needed; name a file',
  ELOOP: 'is a link that leads to itself; name another place',
  ENAMETOOLONG: 'the name is too long; choose a shorter one',
  ENOENT: 'no such file or folder',
  ENOSPC: NO_SPACE,
  ENOTDIR: 'something is a file where a folder is needed; name another place',
  ENOTEMPTY: 'is a folder with something in it; name another place',
  EPERM: 'the system does not permit it; name another place',
  EROFS: 'the file system is read-only; name another place',
};

/** `path: reason (code)` for a fault of the file system that the user can mend; undefined for any other error. */
export function explainFileFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const reason = reasons[code];
  if (path === undefined || reason === undefined) return undefined;
  // Where something could not be moved, its goal is the name that the user knows.
  return `${dest ?? path}: ${reason} (${code})`;
}
