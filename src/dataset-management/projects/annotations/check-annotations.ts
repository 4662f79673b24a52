import type { SignedInContext } from '../../../core/context/context.ts';
import { ValidationError, type FieldProblem } from '../../../core/errors.ts';
import { attributesFault } from './attributes.ts';
import { geometryFault, type AnnotationInput } from './geometry.ts';
import { listAnnotationClasses } from './list-annotation-classes.ts';
import type { Database } from '../../../core/database/db.ts';
import { annotationBytes } from '../../content/content.sql.ts';
import { MAX_ANNOTATION_BYTES, MAX_ANNOTATIONS } from './replace-annotations.ts';

/** A problem of one value of a list in the input. */
export function problemAt(path: readonly (string | number)[], message: string): FieldProblem {
  return { path: path.map(String), message, code: 'VALIDATION_ERROR' };
}

/** Refuses more annotations than an image may have. Throws ValidationError. */
export function checkNumber(field: string, count: number): void {
  if (count > MAX_ANNOTATIONS)
    throw new ValidationError([problemAt([field], `at most ${MAX_ANNOTATIONS}`)]);
}

/** Refuses changes after which the annotations of an image would have too many bytes, as JSON. Throws ValidationError. */
export async function checkBytes(
  db: Pick<Database, 'rows'>,
  { projectId, imageId }: { projectId: string; imageId: string },
  { add, change }: { add: readonly object[]; change: readonly object[] },
): Promise<void> {
  if (add.length + change.length === 0) return;
  const stored = await annotationBytes.first(db, { projectId, imageIds: [imageId] });
  if ((stored?.bytes ?? 0) + JSON.stringify([add, change]).length > MAX_ANNOTATION_BYTES)
    throw new ValidationError([
      problemAt(
        [add.length > 0 ? 'add' : 'change'],
        `the annotations of an image have at most ${MAX_ANNOTATION_BYTES} bytes`,
      ),
    ]);
}

/** What is wrong with the geometries and attributes of some annotations, which are in this field of the input. */
export function geometryProblems(
  field: string,
  annotations: readonly Omit<AnnotationInput, 'className'>[],
  image: { width: number; height: number },
): FieldProblem[] {
  return annotations.flatMap((input, index) => {
    const faults = {
      geometry: geometryFault(input, image),
      attributes: attributesFault(input.attributes),
    };
    return Object.entries(faults).flatMap(([part, fault]) =>
      fault === undefined ? [] : [problemAt([field, index, part], fault)],
    );
  });
}

/** Ids of the classes of a project, by name; notes which of the names in this field of the input are none. */
export async function classIds(
  tx: SignedInContext,
  projectId: string,
  given: { field: string; classNames: readonly (string | undefined)[] }[],
  problems: FieldProblem[],
): Promise<ReadonlyMap<string, string>> {
  const listed = await listAnnotationClasses(tx, projectId);
  const classes = new Map(listed.map(({ id, name }) => [name, id]));
  for (const { field, classNames } of given)
    classNames.forEach((name, index) => {
      if (name !== undefined && !classes.has(name))
        problems.push(problemAt([field, index, 'className'], `the project has no class "${name}"`));
    });
  if (problems.length > 0) throw new ValidationError(problems);
  return classes;
}
