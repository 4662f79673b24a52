import { tagOf } from '../tag-of.ts';
import { limitParallel } from '../limit.ts';

/** A body that is dear to make: its ETag is known also while the body is not kept. */
export interface KeptBody {
  etag: string;
  /** The body, and the ETag of just this one. */
  read(): Promise<{ etag: string; bytes: Buffer }>;
}

/** Keeps bodies by key in the version that was asked for last. */
export interface KeptBodies {
  /** The body of a key in a version: as it was kept, or as somebody makes it just now, or made. Asking for the ETag of a version that was made once makes nothing. */
  get(key: string, version: string, make: () => Promise<Buffer>): Promise<KeptBody>;
}

interface Made {
  version: string;
  etag: string;
  bytes: Buffer;
}

/** Bodies that are made at a time: each holds all it has read. */
const AT_ONCE = 2;
/** ETags that are kept, a hundred bytes or two each. */
const MOST_TAGS = 20_000;

/** Keeps bodies of at most so many bytes in all, those that were asked for last. Of one key one body is made at a time, for all who wait for it. */
export function keepBodies(maxBytes: number): KeptBodies {
  const tags = new Map<string, Pick<Made, 'version' | 'etag'>>();
  const bodies = new Map<string, Made>();
  const making = new Map<string, { version: string; made: Promise<Made> }>();
  const inTurn = limitParallel(AT_ONCE);
  let kept = 0;

  const forget = (key: string): void => {
    kept -= bodies.get(key)?.bytes.length ?? 0;
    bodies.delete(key);
  };
  const keep = (key: string, made: Made): void => {
    tags.delete(key);
    tags.set(key, { version: made.version, etag: made.etag });
    for (const [oldest] of tags) {
      if (tags.size <= MOST_TAGS) break;
      tags.delete(oldest);
    }
    forget(key);
    if (made.bytes.length > maxBytes) return;
    bodies.set(key, made);
    kept += made.bytes.length;
    for (const [oldest] of bodies) {
      if (kept <= maxBytes) break;
      forget(oldest);
    }
  };
  const makeNow = async (
    key: string,
    version: string,
    make: () => Promise<Buffer>,
  ): Promise<Made> => {
    const made = inTurn(make).then((bytes) => ({ version, etag: tagOf(bytes), bytes }));
    const entry = { version, made };
    making.set(key, entry);
    try {
      const done = await made;
      keep(key, done);
      return done;
    } finally {
      if (making.get(key) === entry) making.delete(key);
    }
  };
  const obtain = async (
    key: string,
    version: string,
    make: () => Promise<Buffer>,
  ): Promise<Made> => {
    for (;;) {
      const found = bodies.get(key);
      if (found?.version === version) {
        bodies.delete(key);
        bodies.set(key, found);
        return found;
      }
      const running = making.get(key);
      if (!running) return makeNow(key, version, make);
      // What fails for another may be theirs alone: a connection that they closed.
      const done = await running.made.catch(() => undefined);
      if (done?.version === version) return done;
    }
  };

  return {
    async get(key, version, make) {
      const tag = tags.get(key);
      if (tag?.version === version)
        return { etag: tag.etag, read: () => obtain(key, version, make) };
      const made = await obtain(key, version, make);
      return { etag: made.etag, read: () => Promise.resolve(made) };
    },
  };
}
