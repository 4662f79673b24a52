import { readFileInto } from '../../../core/files/read-file-into.ts';
import { FileFault } from '../files/file-fault.ts';
import { parseJson } from '../files/json-scanner.ts';
import { readJsonItems } from '../files/read-json-items.ts';
import type { ImportFaults } from '../source/import-faults.ts';
import { MOST_CLASSES } from '../source/import-source.ts';
import type { ImportSource, SourceAnnotation, SourceImage } from '../source/import-source.ts';
import { annotationsOf, classNamesOf } from './label-studio-regions.ts';
import { imageOf, parseTask, resultOf } from './label-studio-task.ts';

const MOST_TASKS = 1_000_000;
/** Characters of a label that are kept: it is then too long for a class, too. */
const MOST_OF_LABEL = 1000;

/**
 * Reads the JSON of Label Studio: a list of tasks. Of several annotations of one task the true one counts, else the last;
 * tasks that nobody has annotated are passed over, like predictions. Throws FileFault.
 */
export async function labelStudioSource(
  path: string,
  file: string,
  faults: ImportFaults,
): Promise<ImportSource> {
  const names = new Set<string>();
  const images: SourceImage[] = [];
  let tasks = 0;
  for await (const items of readJsonItems(path))
    for (const { offset, bytes } of items) {
      if (++tasks > MOST_TASKS) throw new FileFault(`has more than ${MOST_TASKS} tasks`);
      const parsed = parseTask(parseJson(bytes));
      if ('faults' in parsed) {
        for (const message of parsed.faults) faults.add({ file, object: `task ${tasks}`, message });
        continue;
      }
      const { task } = parsed;
      const result = resultOf(task);
      if (!result) continue;
      const name = imageOf(task);
      if (name === undefined) {
        faults.add({
          file,
          object: `task ${taskName(task.id, tasks)}`,
          message: 'names no image',
        });
        continue;
      }
      for (const label of await classNamesOf(result)) names.add(label.slice(0, MOST_OF_LABEL));
      if (names.size > MOST_CLASSES) throw new FileFault(`has more than ${MOST_CLASSES} labels`);
      const { imageId } = task.meta ?? {};
      const length = bytes.length;
      images.push({
        file,
        name,
        uuid: typeof imageId === 'string' ? imageId : undefined,
        read: (size, found) =>
          readTask(path, { offset, length }, size, (object, message) =>
            found.add({ file, image: name, object, message }),
          ),
      });
    }
  return { format: 'LABEL_STUDIO', classes: [...names].map((name) => ({ name })), images };
}

async function readTask(
  path: string,
  { offset, length }: { offset: number; length: number },
  size: { width: number; height: number },
  fault: (object: string, message: string) => void,
): Promise<SourceAnnotation[]> {
  const bytes = Buffer.alloc(length);
  await readFileInto(path, bytes, offset);
  const parsed = parseTask(parseJson(bytes));
  return 'task' in parsed ? annotationsOf(resultOf(parsed.task) ?? [], size, fault) : [];
}

function taskName(id: unknown, number: number): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : String(number);
}
