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

  it.each([
    ['Europe/Berlin', '2027-10-31T00:00:00Z'],
    ['America/New_York', '2027-11-07T05:00:00Z'],
    ['Australia/Lord_Howe', '2027-04-03T14:30:00Z'],
    ['Europe/Berlin', '2027-03-28T00:00:00Z'],
  ])('writes every instant around a change of the clocks in %s', async (zone, around) => {
    const starts = Array.from({ length: 17 }, (_, i) => Date.parse(around) + (i - 8) * 900_000);
    const text = await writeICalendar(
      'Night',
      zone,
      starts.map((start) => event({ start, end: start + 900_000 })),
    );
    const read = new ICAL.Component(ICAL.parse(text.toString()))
      .getAllSubcomponents('vevent')
      .map((component) => new ICAL.Event(component));
    expect(read.map(({ startDate }) => startDate.toJSDate().getTime())).toEqual(starts);
    expect(read.map(({ endDate }) => endDate.toJSDate().getTime())).toEqual(
      starts.map((start) => start + 900_000),
    );
  });

  it('writes both times of a repeated hour in UTC, all others in the zone', async () => {
    const starts = [
      '2027-10-30T23:30:00Z',
      '2027-10-31T00:30:00Z',
      '2027-10-31T01:30:00Z',
      '2027-10-31T02:00:00Z',
    ].map(Date.parse);
    const text = await writeICalendar(
      'Night',
      'Europe/Berlin',
      starts.map((start) => event({ start, end: null })),
    );
    expect(text.toString().match(/(?<=^UID.*\r\n(?:.*\r\n){2}DTSTART).*(?=\r$)/gm)).toEqual([
      ';TZID=Europe/Berlin:20271031T013000',
      ':20271031T003000Z',
      ':20271031T013000Z',
      ';TZID=Europe/Berlin:20271031T030000',
    ]);
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
