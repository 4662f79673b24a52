import { Presets, SingleBar } from 'cli-progress';
import { cleanWhenKilled } from '../../core/clean-when-killed.ts';

/**
 * Runs `work`, which tells how far it is, and shows that as a bar if stderr is a terminal: otherwise nothing, so that the
 * logs of scripts stay clean.
 */
export async function withProgress<T>(
  label: string,
  { total, unit }: { total: number; unit: string },
  work: (onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return work(() => undefined);
  const format = `${label} [{bar}] {percentage}% · {value}/{total} ${unit} · {eta_formatted} left`;
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
    Presets.rect,
  );
  // The terminal gets its cursor back.
  const forget = cleanWhenKilled(() => bar.stop());
  bar.start(total, 0);
  try {
    return await work((done) => bar.update(Math.min(done, total)));
  } finally {
    forget();
    bar.stop();
  }
}
