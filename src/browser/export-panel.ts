import { ask, change, fetchFile } from './page/ask.ts';
import { EXPORT, JOB_NOW, type JobRow, type ProjectRow } from './page/documents.ts';
import { element, options } from './page/element.ts';
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

/** Milliseconds between two looks at a job. */
const PAUSE = 1_000;

/** Larger archives are not for the memory of a browser. */
const LARGEST = 2 ** 30;

/** Exports a project: a form, and a bar for the job, which goes on whether or not the page is open. */
export function exportPanel(project: ProjectRow, signal: AbortSignal): HTMLElement {
  const format = element('select', { id: `format-${project.uuid}` }, options(FORMATS, 'NATIVE'));
  const filter = element('select', { id: `filter-${project.uuid}` }, options(FILTERS, 'ANNOTATED'));
  const job = element('div', { class: 'job' });
  const button = element('button', { class: 'quiet' }, 'Export');
  const kept = `trivium.export:${basePath}:${project.uuid}`;
  const follow = async (first: JobRow): Promise<void> => {
    for (let now: JobRow | null = first; now && !signal.aborted;) {
      presentJob(job, now, project.name, signal);
      if (now.state !== 'QUEUED' && now.state !== 'RUNNING') break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      now = (await ask<{ node: JobRow | null }>(JOB_NOW, { id: first.id }, signal)).node;
    }
  };
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      if (!signal.aborted)
        job.replaceChildren(
          element(
            'p',
            { class: 'fault', role: 'alert' },
            String(error instanceof Error ? error.message : error),
          ),
        );
    } finally {
      button.disabled = false;
    }
  };
  // The job of an earlier visit in this browser tab.
  const earlier = sessionStorage.getItem(kept);
  if (earlier !== null)
    void guarded(async () => {
      const { node } = await ask<{ node: JobRow | null }>(JOB_NOW, { id: earlier }, signal);
      if (node) await follow(node);
    });
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
          void guarded(async () => {
            const input = { projectId: project.id, filter: filter.value, format: format.value };
            const started = (await change<{ job: JobRow }>(EXPORT, input)).job;
            sessionStorage.setItem(kept, started.id);
            await follow(started);
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
  const percent = Math.floor(100 * job.progress);
  const text =
    job.state === 'SUCCEEDED'
      ? `Ready, ${sizeOf(job.byteSize ?? 0)}`
      : {
          QUEUED: 'Waiting',
          RUNNING: `${percent} %`,
          FAILED: 'Failed: export it again',
          CANCELLED: 'Cancelled',
        }[job.state];
  const bar = element('progress', {
    max: 1,
    value: job.progress,
    'aria-label': `Export of ${name}`,
  });
  const said = element('p', { role: 'status' }, text);
  const url = job.downloadUrl;
  const isSmall = (job.byteSize ?? 0) <= LARGEST;
  into.replaceChildren(
    bar,
    said,
    url !== null && isSmall
      ? element(
          'button',
          {
            type: 'button',
            onclick: () =>
              void save(url, `${name}.zip`, signal).catch((error: unknown) => {
                said.textContent = String(error instanceof Error ? error.message : error);
              }),
          },
          'Download',
        )
      : '',
    url !== null && !isSmall
      ? element(
          'p',
          { class: 'hint' },
          'It is too large for a browser: download it with curl and your session, from ',
          element('code', {}, url),
        )
      : '',
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
