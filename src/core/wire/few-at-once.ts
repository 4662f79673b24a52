/**
 * Most round trips at once while they are short. Four keep one process busy with pages, also over a network. With more, a
 * database with few processors only switches between them: with ten, pages of 20 on two processors come a twentieth less
 * often, and the slowest hundredth takes half as long again.
 */
const FEW = 4;
/** A round trip that takes longer, in milliseconds, does not count any more: nothing waits long behind slow ones. */
const SHORT = 20;
/** So many items wait at most. What is more waits for a connection, which tells that the database is busy. */
const MOST_WAITING = 16;

/**
 * Hands items over in groups of at most `size`, a few groups at once; those that come meanwhile wait, and share the next
 * ones. `start` calls `done` when a group has been answered.
 */
export function fewAtOnce<Item>(
  size: number,
  start: (items: Item[], done: () => void) => void,
): (items: readonly Item[]) => void {
  const waiting: Item[] = [];
  /** When each group was started, the oldest first. */
  const running: { since: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  const advance = (): void => {
    const now = performance.now();
    while (running[0] && now - running[0].since >= SHORT) running.shift();
    while (waiting.length > 0 && (running.length < FEW || waiting.length > MOST_WAITING)) {
      const group = { since: now };
      running.push(group);
      start(waiting.splice(0, size), () => {
        const at = running.indexOf(group);
        if (at >= 0) running.splice(at, 1);
        if (waiting.length > 0) advance();
      });
    }
    if (waiting.length > 0)
      timer ??= setTimeout(() => {
        timer = undefined;
        advance();
      }, SHORT);
  };

  return (items) => {
    waiting.push(...items);
    advance();
  };
}
