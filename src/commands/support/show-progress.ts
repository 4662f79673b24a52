import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  set(done: number): void;
  stop(): void;
}

/** Shows a progress bar if stderr is a terminal, and otherwise nothing, so that the logs of scripts stay clean. */
export function showProgress(label: string, total: number, unit: string): Progress {
  if (!process.stderr.isTTY) return { set: () => undefined, stop: () => undefined };
  const format = `${label} [{bar}] {percentage}% · {value}/{total} ${unit} · {eta_formatted} left`;
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
    Presets.rect,
  );
  bar.start(total, 0);
  return { set: (done) => bar.update(Math.min(done, total)), stop: () => bar.stop() };
}
