import type { Clock } from '../../core/context/context.ts';

/** The clock goes on at its pace if it has moved by at most this much more than time has passed, in milliseconds. */
const TOLERANCE = 1_000;
/** Most steps that are known; the earliest are forgotten. */
const MOST = 1_000;

/** The clock between two steps; times by performance.now(), `first` and `last` by the clock. */
interface Stretch {
  from: number;
  first: number;
  until: number;
  last: number;
}

const ofClocks = new WeakMap<Clock, ClockSteps>();

/** The steps of a clock while this process runs. */
export function stepsOf(clock: Clock): ClockSteps {
  let steps = ofClocks.get(clock);
  if (!steps) ofClocks.set(clock, (steps = new ClockSteps(clock)));
  return steps;
}

/** When the clock was set, and so how long ago it may have told a time that it tells again now. */
class ClockSteps {
  readonly #clock: Clock;
  /** The earliest first; the last one goes on. */
  #stretches: Stretch[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Looks whether the clock was set. What is set and set back between two looks is not seen. */
  look(): void {
    const [at, now] = [performance.now(), this.#clock()];
    const open = this.#stretches.at(-1);
    const moved = open && now - open.last;
    if (open && moved !== undefined && moved >= 0 && moved - (at - open.until) <= TOLERANCE) {
      [open.until, open.last] = [at, now];
      return;
    }
    this.#stretches.push({ from: at, first: now, until: at, last: now });
    if (this.#stretches.length > MOST) this.#stretches.shift();
  }

  /** How long ago, in whole milliseconds, the clock told this time before it was set; undefined if it did not. */
  ageBeforeStep(time: number): number | undefined {
    this.look();
    const before = this.#stretches.slice(0, -1);
    const told = before.find(
      ({ first, last }, index) =>
        (index === 0 || time >= first - TOLERANCE) && time <= last + TOLERANCE,
    );
    return told && Math.ceil(performance.now() - told.until + Math.max(0, told.last - time));
  }
}
