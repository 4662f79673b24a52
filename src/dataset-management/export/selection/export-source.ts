import type { AnnotationClass } from '../../projects/annotations/list-annotation-classes.ts';
import type { ExportFilter } from './export-filter.ts';
import type { ExportedImage, SelectedImage } from './select-images.ts';

/** Where an export reads from: a project as it is, or a version. */
export interface ExportSource {
  /** In their order; before images are loaded, which may add some at the end. */
  classes(): Promise<readonly AnnotationClass[]>;
  /** The most points that an annotation of each class has, by the id of the class; of those that have any. */
  points(): Promise<ReadonlyMap<string, number>>;
  /** The images, in their order; `assignee` for only what is assigned to this user. */
  select(which: { filter: ExportFilter; assignee: number | undefined }): Promise<SelectedImage[]>;
  /** Bytes of the annotations of some of them, as JSON; of those that may have many. */
  bytesOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Some of them with their annotations, in the order given. */
  load(ids: readonly string[]): Promise<ExportedImage[]>;
}
