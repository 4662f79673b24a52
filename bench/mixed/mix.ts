import { askForPages, difference } from '../check-bodies.ts';
import type { Contender, Json } from '../contenders.ts';
import { encodeRequest, fetchJson, type WireRequest } from '../http-load.ts';
import { makePages, type UnitViewer } from '../workload.ts';
import type { Asked } from './asked.ts';

/** One way to serve the mix. */
export interface MixedContender {
  contender: Contender;
  asked: Asked;
}

/** Of a hundred requests. */
export const SHARES = [
  ['page', 70],
  ['poll', 10],
  ['count', 8],
  ['calendar', 5],
  ['mark', 3],
  ['status', 2],
  ['task', 2],
] as const;
const KINDS = SHARES.flatMap(([kind, share]) => Array<typeof kind>(share).fill(kind));
/** What each request asks for. 37 and 100 have no common divisor: each hundred has every kind in its share, well mixed. */
export const kindOf = (turn: number): (typeof KINDS)[number] =>
  KINDS[(turn * 37) % KINDS.length] ?? 'page';
/** Each request that writes comes twice in turn for each viewer, so that all of them change something. */
const REQUESTS = 10_000;
const DAY = 86_400_000;

/** What all contenders are asked: the same feeds and days. */
export interface Plan {
  viewers: readonly UnitViewer[];
  /** Two feeds of each viewer: one to mark, one that is completed, whose status changes. */
  feeds: readonly { mark: number; status: number }[];
  now: number;
}

/** The requests of the mix, in one order for all, with polls for what changed since an instant, and the replies of those that only read, in a form that can be compared. */
export async function prepareMix(
  { contender, asked }: MixedContender,
  port: number,
  { viewers, feeds, now }: Plan,
): Promise<{ requests: (since: number) => Buffer[]; pages: Json[][]; reads: string[] }> {
  const asking = makePages(viewers, 20);
  const pages = await askForPages(contender, port, asking);
  const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const calendar = (viewer: UnitViewer, turn: number): WireRequest =>
    asked.calendar(viewer, isoDay(now), isoDay(now + ([0, 6, 29][turn % 3] ?? 0) * DAY));
  const reads: string[] = [];
  for (const [index, viewer] of viewers.entries()) {
    reads.push(numbersOf(await fetchJson(port, asked.count(viewer)), 'count'));
    reads.push(numbersOf(await fetchJson(port, calendar(viewer, index)), 'feedKey'));
  }
  /** How often a feed was marked, or its status changed: every other time back. */
  const writes = new Map<number, number>();
  const isOdd = (feedKey: number): boolean => {
    const times = (writes.get(feedKey) ?? 0) + 1;
    writes.set(feedKey, times);
    return times % 2 === 1;
  };
  const requestOf = (turn: number, since: number): Buffer => {
    const kind = kindOf(turn);
    if (kind === 'page') return pages.requests[turn % pages.requests.length] ?? Buffer.alloc(0);
    // Moves on with each hundred: otherwise each kind would be asked by the same few viewers.
    const place = (turn + Math.floor(turn / KINDS.length)) % viewers.length;
    const viewer = viewers[place];
    const feed = feeds[place];
    if (!viewer || !feed) throw new Error('no viewers');
    const request = {
      poll: () => asked.poll(viewer, since),
      count: () => asked.count(viewer),
      calendar: () => calendar(viewer, turn),
      mark: () => asked.mark(viewer, feed.mark, isOdd(feed.mark)),
      status: () => asked.status(viewer, feed.status, isOdd(feed.status) ? 'P' : 'C'),
      task: () => asked.task(viewer, `Restock ${turn}`),
    }[kind]();
    return encodeRequest(request);
  };
  const requests = (since: number): Buffer[] => {
    writes.clear();
    return Array.from({ length: REQUESTS }, (_, turn) => requestOf(turn, since));
  };
  return { requests, pages: pages.rows, reads };
}

/** Polls and writes for each viewer once, so that what is refused is found before it is timed. */
export async function tryMix(
  { contender, asked }: MixedContender,
  port: number,
  { viewers, feeds, now }: Plan,
): Promise<void> {
  for (const [index, viewer] of viewers.entries()) {
    const feed = feeds[index];
    if (!feed) throw new Error('no feeds');
    for (const request of [
      asked.poll(viewer, now),
      asked.mark(viewer, feed.mark, true),
      asked.status(viewer, feed.status, 'P'),
      asked.status(viewer, feed.status, 'C'),
      asked.task(viewer, 'Restock'),
    ])
      await ask(contender, port, request);
  }
}

/** Throws when a contender answers with anything but success. */
async function ask({ label }: Contender, port: number, request: WireRequest): Promise<void> {
  const text = JSON.stringify(await fetchJson(port, request));
  if (/"errors"|Error"|"result":(null|false)|ResyncRequired/.test(text))
    throw new Error(
      `${label} answered ${request.body?.slice(0, 200) ?? ''} with ${text.slice(0, 400)}`,
    );
}

/** All numbers of this name in a reply, in their order. */
function numbersOf(body: unknown, name: string): string {
  const text = JSON.stringify(body);
  const found = [...text.matchAll(new RegExp(`"${name}":"?(\\d+)`, 'g'))].map(([, value]) => value);
  if (/"errors"/.test(text)) throw new Error(text.slice(0, 500));
  if (name === 'count') found.sort();
  return found.filter((value) => value !== '0').join();
}

/** Throws when two contenders differ. */
export function compareMixes(
  viewers: readonly UnitViewer[],
  one: { pages: Json[][]; reads: string[] },
  other: { pages: Json[][]; reads: string[]; label: string },
): void {
  const differ = difference(makePages(viewers, 20), one.pages, other.pages);
  if (differ) throw new Error(`${other.label} differs: ${differ}`);
  for (const [index, read] of one.reads.entries())
    if (read !== other.reads[index])
      throw new Error(`${other.label}: ${other.reads[index] ?? ''} instead of ${read}`);
}
