import type { AnnotationClass } from '../../projects/annotations/list-annotation-classes.ts';

/** What an export says of the class of an annotation. */
export interface ExportedClass {
  className: string;
  /** Its position: the id of the category in COCO. */
  category: number;
  /** Its place among the classes of the export, from 0. */
  classIndex: number;
}

/** The classes of an export. Those that come while it runs are put behind the others, whose places and names stay. */
export class ClassList {
  readonly classes: AnnotationClass[] = [];
  readonly #byId = new Map<string, ExportedClass>();

  add(classes: readonly AnnotationClass[]): void {
    for (const one of classes) {
      if (this.#byId.has(one.id)) continue;
      const { name: className, position: category } = one;
      this.#byId.set(one.id, { className, category, classIndex: this.classes.length });
      this.classes.push(one);
    }
  }

  /** A class by its id; undefined for one that it does not have. */
  find(id: string): ExportedClass | undefined {
    return this.#byId.get(id);
  }
}
