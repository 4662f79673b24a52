import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { LogOutput } from '../../src/core/log-output.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.runIf(process.platform === 'linux')(
  'begins a new line after one whose reader left in the middle of it',
  async () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const opened = open(pipe, 'r');
    const writer = openSync(pipe, 'w');
    const events = new EventEmitter();
    const output = new LogOutput(writer, {
      lost: (reason) => events.emit('lost', reason),
      writable: (lines) => events.emit('writable', lines),
    });
    const lost = once(events, 'lost');
    // More than a pipe holds.
    output.write(`${'a'.repeat(3_000_000)}\n`);
    const first = await opened;
    await first.read(Buffer.alloc(10), 0, 10);
    await first.close();
    expect((await lost)[0]).toContain('EPIPE');

    const second = await open(pipe, 'r');
    const lines: string[] = [];
    const reader = createInterface({ input: second.createReadStream() });
    reader.on('line', (line) => lines.push(line.replace(/^a+/, 'a')));
    const read = once(reader, 'close');
    const writable = once(events, 'writable');
    output.write('next\n');
    expect(await writable).toEqual([1]);
    closeSync(writer);
    await read;
    expect(lines).toEqual(['a', 'next']);
  },
);
