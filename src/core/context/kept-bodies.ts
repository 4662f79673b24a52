import { tagOf } from '../tag-of.ts';
import { limitParallel } from '../turns/limit.ts';

/** A response body that is expensive to build. Its ETag is known even while the body is not cached. */
export interface KeptBody {
  etag: string;
  /** The body with its own ETag. */
  read(): Promise<{ etag: string; bytes: Buffer }>;
}

/** Builds a body. */
type Make = () => Promise<Buffer>;

/** A cache of response bodies by key; each key has the version that was requested last. */
export interface KeptBodies {
  /**
   * The body of a key in a version: cached, already being built for another request, or newly built. Once a version was
   * built, asking for its ETag builds nothing.
   */
  get(key: string, version: string, make: Make): Promise<KeptBody>;
}

interface Made {
  version: string;
  etag: string;
  bytes: Buffer;
}

/** Bodies that are built at the same time: each holds everything that it has read. */
const AT_ONCE = 2;
/** ETags that are kept, at one or two hundred bytes each. */
const MOST_TAGS = 20_000;

/**
 * Caches bodies up to this total size, keeping those requested last. For each key only one body is built at a time, for
 * all requests that wait for it.
 */
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
  const makeNow = async (key: string, version: string, make: Make): Promise<Made> => {
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
  const obtain = async (key: string, version: string, make: Make): Promise<Made> => {
    for (;;) {
      const found = bodies.get(key);
      if (found?.version === version) {
        bodies.delete(key);
        bodies.set(key, found);
        return found;
      }
      const running = making.get(key);
      if (!running) return makeNow(key, version, make);
      // A failure for another request may be its own, such as a closed connection: then this one tries itself.
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
