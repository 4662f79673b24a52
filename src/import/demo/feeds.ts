import type { Maker } from './feed-parts.ts';
import type { Random } from './random.ts';
import { randomSpan } from './schedule.ts';
import { task } from './task-record.ts';
import { message } from './message-record.ts';
import { walk } from './walk-record.ts';
import { projectWithTasks } from './project-records.ts';

const PROJECTS = 950;
const LOOSE_TASKS = 500;
const MESSAGES = 900;
const WALKS = 350;

/** Work of the domain `demo`: projects with their tasks, loose tasks, messages and store walks. */
export function* feedRecords(random: Random, now: number): Generator<object> {
  let key = 1000;
  const maker: Maker = { random, now, nextKey: () => ++key };
  for (let n = 0; n < PROJECTS; n++) yield* projectWithTasks(maker, n);
  for (let n = 0; n < LOOSE_TASKS; n++) yield task(maker, randomSpan(random, 4), {});
  for (let n = 0; n < MESSAGES; n++) yield message(maker);
  for (let n = 0; n < WALKS; n++) yield walk(maker);
}
