import type { AnnotationInput } from '../../projects/annotations/geometry.ts';
import type { CocoSent } from '../../projects/annotations/coco-extra.ts';
import type { GivenClass } from '../../projects/write-classes.ts';
import type { ImportFaults } from './import-faults.ts';

/** Formats of annotations that are read. */
export const importFormats = ['COCO', 'YOLO', 'PASCAL_VOC', 'LABEL_STUDIO'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Classes that one file may have. */
export const MOST_CLASSES = 10_000;

/** Characters of the name of an image. */
export const MOST_OF_NAME = 4096;

/** The size of an image, upright. */
export interface ImageSize {
  width: number;
  height: number;
}

/** An annotation as a file has it, in pixels. */
export interface SourceAnnotation extends AnnotationInput {
  /** As faults call it. */
  label: string;
  /** What COCO says of it besides. */
  sent?: CocoSent;
}

/** How a file names an image. */
export interface ImageName {
  /** A file name with or without folders; in `stem` files without its suffix. */
  name: string;
  stem?: boolean;
  /** The id of our exports. */
  uuid?: string | undefined;
  /** The path of our exports. */
  path?: string | undefined;
}

/** An image that a file annotates. */
export interface SourceImage extends ImageName {
  /** The file or entry that says it. */
  file: string;
  /** Its size, where the file has it. */
  width?: number | null | undefined;
  height?: number | null | undefined;
  /** Reads its annotations, for an image of this size; notes what can't be read. Each time anew. */
  read(
    size: ImageSize,
    faults: ImportFaults,
  ): Promise<SourceAnnotation[]> | AsyncIterable<SourceAnnotation>;
}

/** The content of a file with annotations: which classes and images it has. */
export interface ImportSource {
  format: ImportFormat;
  /** Names may be there twice. */
  classes: GivenClass[];
  images: SourceImage[];
}
