import type { BlobStore } from '../../../core/context/storage.ts';
import type { AnnotationClass } from '../../projects/annotations/list-annotation-classes.ts';
import type { ExportedImage } from '../selection/select-images.ts';
import type { ArchiveFile, Scratch } from '../files/archive-file.ts';
import type { ImagePlace } from './image-place.ts';
import type { ExportReport } from './export-report.ts';
import type { Split, SplitPart } from '../selection/split.ts';

/** An image at its place in the archive. */
export interface PlacedImage extends ImagePlace {
  image: ExportedImage;
  /** The storage has lost its file. */
  lost: boolean;
  /** Somebody has looked at it, even if there is nothing on it. */
  annotated: boolean;
  /** Null without a split. */
  part: SplitPart | null;
}

/** What a format is written from. */
export interface LabelSource {
  storage: BlobStore;
  scratch: Scratch;
  project: { name: string; encrypted: boolean };
  exportedAt: Date;
  /** More may come while images are added. */
  classes: readonly AnnotationClass[];
  /** The most points that one POINTS annotation of a class has, by the id of the class. */
  points: ReadonlyMap<string, number>;
  split: Split | null;
  report: ExportReport;
}

/** Writes the files of a format as the images come. */
export interface LabelWriter {
  /** Files beside an image. */
  add(image: PlacedImage): Promise<ArchiveFile[]>;
  /** Files that need all images. */
  end(): Promise<ArchiveFile[]>;
}
