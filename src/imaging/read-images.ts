import { writeFileSync } from 'node:fs';
import { UnusableImageError } from '../core/context/imaging.ts';
import { stopSignals } from '../core/stop-signal.ts';
import { createImageReader, type ImageReaderOptions } from './create-image-reader.ts';
import type { ImageJob, ImageReply } from './image-messages.ts';

// Main program of the process that reads images: see start-image-engine.ts.

const reader = createImageReader(JSON.parse(process.argv[2] ?? '') as ImageReaderOptions);
// If the gateway is gone, there is nobody to read for.
const reply = (answer: ImageReply): void =>
  void process.send?.(answer, undefined, undefined, (error) => error && process.exit());

// When memory runs out, the system should kill this process first. Linux only.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  /* Then the system chooses by itself. */
}

process.on('message', ({ id, task, path }: ImageJob) => {
  reader[task](path).then(
    (value) => reply({ id, value }),
    (error: unknown) =>
      reply(
        error instanceof UnusableImageError
          ? { id, refused: { code: error.code, message: error.message } }
          : { id, failed: String(error) },
      ),
  );
});
process.on('disconnect', () => process.exit());
// Ctrl-C, or the end of a terminal, reaches this process too, but uploads in progress are finished first; then the
// gateway ends it.
for (const signal of stopSignals) process.on(signal, () => undefined);
reply('ready');
