import { change, fetchFile } from './page/ask.ts';
import { EXPORT, JOB_NOW, type JobRow, type ProjectRow } from './page/documents.ts';
import { element, options } from './page/element.ts';
import { followJob, jobBar, workFor } from './page/job.ts';
import { basePath } from './page/session.ts';

const FORMATS = [
  ['NATIVE', 'JSON and COCO'],
  ['COCO', 'COCO'],
  ['YOLO', 'YOLO, boxes'],
  ['YOLO_SEGMENT', 'YOLO, outlines'],
  ['YOLO_POSE', 'YOLO, poses'],
  ['PASCAL_VOC', 'Pascal VOC'],
  ['LABEL_STUDIO', 'Label Studio'],
  ['CSV', 'CSV'],
] as const;
const FILTERS = [
  ['ANNOTATED', 'annotated images'],
  ['ACCEPTED', 'accepted images'],
  ['ALL', 'all images'],
] as const;

/** Larger archives are not for the memory of a browser. */
const LARGEST = 2 ** 30;

/** Exports a project: a form, and a bar for the job, which goes on whether or not the page is open. */
export function exportPanel(project: ProjectRow, signal: AbortSignal): HTMLElement {
  const format = element('select', { id: `format-${project.uuid}` }, options(FORMATS, 'NATIVE'));
  const filter = element('select', { id: `filter-${project.uuid}` }, options(FILTERS, 'ANNOTATED'));
  const job = element('div', { class: 'job' });
  const button = element('button', { class: 'quiet' }, 'Export');
  const kept = `trivium.export:${basePath}:${project.uuid}`;
  const follow = (id: string): Promise<void> =>
    followJob<JobRow>({ id, query: JOB_NOW, signal }, (now) =>
      presentJob(job, now, project.name, signal),
    );
  // The job of an earlier visit in this browser tab.
  const earlier = sessionStorage.getItem(kept);
  if (earlier !== null) void workFor({ button, job, signal }, () => follow(earlier));
  return element(
    'details',
    { class: 'export', open: earlier !== null },
    element('summary', {}, `Export ${project.name}`),
    element(
      'form',
      {
        class: 'row',
        onsubmit: (event) => {
          event.preventDefault();
          void workFor({ button, job, signal }, async () => {
            const input = { projectId: project.id, filter: filter.value, format: format.value };
            const { id } = (await change<{ job: JobRow }>(EXPORT, input)).job;
            sessionStorage.setItem(kept, id);
            await follow(id);
          });
        },
      },
      element('div', {}, element('label', { for: format.id }, 'Format'), format),
      element('div', {}, element('label', { for: filter.id }, 'Images'), filter),
      button,
    ),
    job,
  );
}

function presentJob(into: HTMLElement, job: JobRow, name: string, signal: AbortSignal): void {
  const url = job.downloadUrl;
  const isSmall = (job.byteSize ?? 0) <= LARGEST;
  const said = element('p', { class: 'fault', role: 'alert' });
  into.replaceChildren(
    element(
      'div',
      {},
      jobBar(job, `Export of ${name}`, `Ready, ${sizeOf(job.byteSize ?? 0)}`),
      url !== null &&
        isSmall &&
        element(
          'button',
          {
            type: 'button',
            onclick: () =>
              void save(url, `${name}.zip`, signal).catch((error: unknown) => {
                said.textContent = error instanceof Error ? error.message : String(error);
              }),
          },
          'Download',
        ),
      url !== null &&
        !isSmall &&
        element(
          'p',
          { class: 'hint' },
          'It is too large for a browser: download it with curl and your session, from ',
          element('code', {}, url),
        ),
      said,
    ),
  );
}

/** Downloads with the session, which no plain link would send. */
async function save(url: string, name: string, signal: AbortSignal): Promise<void> {
  const href = URL.createObjectURL(await fetchFile(url, signal));
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
