import { sendForm } from './page/ask.ts';
import { counted } from './page/counted.ts';
import { IMPORT_NOW, type ImportRow, type ProjectRow } from './page/documents.ts';
import { element, type Child } from './page/element.ts';
import { followJob, jobBar, workFor } from './page/job.ts';

/** Problems that are listed. */
const LISTED = 20;

/** Reads annotations from a file into a project: a form, and a bar for the job. Not for annotators, who may not. */
export function importPanel(project: ProjectRow, role: string, signal: AbortSignal): Child {
  if (role === 'ANNOTATOR') return null;
  const id = `import-${project.uuid}`;
  const file = element('input', { id, type: 'file', accept: '.json,.zip', required: true });
  const rehearsal = element('input', { id: `${id}-dry`, type: 'checkbox', checked: true });
  const job = element('div', { class: 'job' });
  const button = element('button', { class: 'quiet' }, 'Import');
  const start = async (): Promise<void> => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const form = new FormData();
    form.set('projectId', project.uuid);
    form.set('FileName', chosen.name);
    form.set('DryRun', String(rehearsal.checked));
    form.set('File', chosen);
    const uuid = await sendForm('/api/Projects/importAnnotations', form, signal);
    const started = btoa(`AnnotationImport:${uuid}`);
    await followJob<ImportRow>({ id: started, query: IMPORT_NOW, signal }, (now) =>
      job.replaceChildren(element('div', {}, present(now, project.name))),
    );
  };
  return element(
    'details',
    { class: 'import' },
    element('summary', {}, `Import into ${project.name}`),
    element(
      'form',
      {
        class: 'row',
        onsubmit: (event) => {
          event.preventDefault();
          void workFor({ button, job, signal }, start);
        },
      },
      element(
        'div',
        {},
        element('label', { for: id }, 'COCO, YOLO, Pascal VOC or Label Studio'),
        file,
      ),
      element(
        'label',
        { class: 'check', for: rehearsal.id },
        rehearsal,
        ' Only say what would happen',
      ),
      button,
    ),
    job,
  );
}

function present(job: ImportRow, name: string): Child {
  const { dryRun, imagesCount, annotationsCount, replacedImagesCount, unmatchedCount } = job;
  const counts = `${counted(annotationsCount, 'annotation')} on ${counted(imagesCount, 'image')}, ${replacedImagesCount} of which had others; not in the project: ${counted(unmatchedCount, 'image')}`;
  return [
    jobBar(job, `Import into ${name}`, `${dryRun ? 'Would import' : 'Imported'} ${counts}`),
    job.problemsCount > 0 &&
      element('p', {}, `${counted(job.problemsCount, 'problem')}, so nothing is imported:`),
    element(
      'ul',
      {},
      job.problems
        .slice(0, LISTED)
        .map(({ file, image, message }) =>
          element('li', {}, [file, image, message].filter((part) => part !== null).join(': ')),
        ),
    ),
  ];
}
