import type { ExportedAnnotation } from '../selection/select-images.ts';
import { exportFormatNames, type ExportFormat } from '../selection/export-format.ts';
import type { SplitPart } from '../selection/split.ts';

type Kind = Pick<ExportedAnnotation, 'className' | 'shape'>;

interface Count {
  class: string;
  shape: string;
  /** EXACT, REDUCED or LEFT_OUT. */
  outcome: string;
  /** What was lost. */
  why?: string;
  count: number;
}

/** Counts what a format could carry, by class and shape: nothing is dropped without a word. */
export class ExportReport {
  readonly #counts = new Map<string, Count>();
  readonly #images = new Map<string, number>();
  readonly #parts = new Map<string, number>();
  readonly #notes: string[] = [];

  /** An annotation is in the files, without what `losses` name. */
  wrote(annotation: Kind, losses: readonly string[] = []): void {
    if (losses.length === 0) this.#count(annotation, 'EXACT');
    else this.#count(annotation, 'REDUCED', losses.join('; '));
  }

  /** An annotation is not in the files. */
  leftOut(annotation: Kind, why: string): void {
    this.#count(annotation, 'LEFT_OUT', why);
  }

  /** An image, and what became of it. */
  image(outcome: string, part: SplitPart | null = null): void {
    this.#images.set(outcome, (this.#images.get(outcome) ?? 0) + 1);
    if (part) this.#parts.set(part, (this.#parts.get(part) ?? 0) + 1);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** How many images are in a part. */
  imagesIn(part: SplitPart): number {
    return this.#parts.get(part) ?? 0;
  }

  /** The text of `report.json`. */
  write(format: ExportFormat): string {
    const annotations = [...this.#counts.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const sum = (outcome: string): number =>
      annotations.reduce((all, one) => all + (one.outcome === outcome ? one.count : 0), 0);
    const report = {
      format: exportFormatNames[format],
      totals: { exact: sum('EXACT'), reduced: sum('REDUCED'), leftOut: sum('LEFT_OUT') },
      annotations,
      images: Object.fromEntries(this.#images),
      ...(this.#parts.size > 0 && { split: Object.fromEntries(this.#parts) }),
      notes: this.#notes,
    };
    return `${JSON.stringify(report, null, 2)}\n`;
  }

  #count({ className, shape }: Kind, outcome: string, why?: string): void {
    const count = { class: className, shape, outcome, ...(why !== undefined && { why }), count: 1 };
    const found = this.#counts.get(keyOf(count));
    if (found) found.count++;
    else this.#counts.set(keyOf(count), count);
  }
}

function keyOf({ class: name, shape, outcome, why = '' }: Count): string {
  return JSON.stringify([name, shape, outcome, why]);
}
