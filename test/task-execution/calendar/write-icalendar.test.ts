import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import {
  writeICalendar,
  type CalendarEvent,
} from '../../../src/task-execution/calendar/subscriptions/write-icalendar.ts';

const event = (change: Partial<CalendarEvent> = {}): CalendarEvent => ({
  uid: 'feed-1@trivium',
  start: Date.UTC(2027, 0, 4, 9),
  end: Date.UTC(2027, 0, 4, 10),
  title: 'Shelf',
  description: null,
  confidential: false,
  cancelled: false,
  version: 1,
  changedAt: 0,
  ...change,
});

/** Texts as people and programs write them: any characters, long ones, those that mean something to the format. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('ü', '語', '👩‍🌾', 'a', ' ', ';', ',', '\\', '\n', '\r', ':', '"'),
    maxLength: 300,
  }),
);
const readable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\t\n]/gu, '');

describe('writeICalendar', () => {
  it('writes any text so that another library reads it back, in lines of at most 75 bytes', async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, async (name, title, description) => {
        const text = (
          await writeICalendar(name, 'Europe/Berlin', [event({ title, description })])
        ).toString();
        const calendar = new ICAL.Component(ICAL.parse(text));
        const read = calendar.getFirstSubcomponent('vevent')!;
        expect(calendar.getAllSubcomponents('vevent')).toHaveLength(1);
        // What the library does not know it leaves escaped.
        const shown = String(calendar.getFirstPropertyValue('x-wr-calname'));
        expect(shown.replaceAll(/\\(.)/g, (_, next: string) => (next === 'n' ? '\n' : next))).toBe(
          readable(name),
        );
        expect(read.getFirstPropertyValue('summary')).toBe(readable(title));
        if (description)
          expect(read.getFirstPropertyValue('description')).toBe(readable(description));
        for (const line of text.split('\r\n'))
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      }),
      { numRuns: 200, seed: 7 },
    );
  });

  it('lets other work run in between', async () => {
    let turns = 0;
    let running = true;
    const tick = (): void => {
      turns += 1;
      if (running) setImmediate(tick);
    };
    setImmediate(tick);
    await writeICalendar(
      'Large',
      'UTC',
      Array.from({ length: 5_000 }, () => event()),
    );
    running = false;
    expect(turns).toBeGreaterThanOrEqual(49);
  });
});
