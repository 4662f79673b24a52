import { ask } from './page/ask.ts';
import { counted } from './page/counted.ts';
import {
  IMAGES,
  ONE_DATASET,
  ONE_PROJECT,
  type DatasetData,
  type ImagesData,
  type ProjectData,
} from './page/documents.ts';
import { drawOnThumbnail } from './drawing/draw-annotation.ts';
import { element, options, type Child } from './page/element.ts';
import { exportPanel } from './export-panel.ts';
import { importPanel } from './import-panel.ts';
import { THUMBNAIL } from './drawing/geometry-on-thumbnail.ts';
import { keyPlace } from './key-form.ts';
import { rememberNeighbours } from './neighbours.ts';
import { isOpen, showIn, thumbnailOf } from './pictures.ts';
import { firstPage, type Place } from './page/place.ts';
import { progressBar, stateName, STATES } from './page/progress.ts';
import { link, notFound, pager, paging, trail, type Page, type Show } from './page/view.ts';

/** Thumbnails of a page. */
const SHOWN = 24;

type Dataset = NonNullable<DatasetData['dataset']>;
type Project = NonNullable<ProjectData['project']>;
type Image = NonNullable<ImagesData['dataset']>['images']['nodes'][number];

/** A dataset: its thumbnails with what is annotated on them in a project, filtered by class and state. */
export const showDataset: Show = async (page) => {
  const { place, signal } = page;
  const { dataset } = await ask<DatasetData>(ONE_DATASET, { uuid: place.dataset }, signal);
  if (!dataset) return notFound('Dataset');
  // Without a choice, the first project.
  const uuid = place.project ?? dataset.projects.nodes[0]?.uuid;
  const project =
    uuid === undefined ? null : (await ask<ProjectData>(ONE_PROJECT, { uuid }, signal)).project;
  if (place.project !== undefined && !project) return notFound('Project');
  const images = await loadImages(place, project, signal);
  const chosen = project ? { ...place, project: project.uuid } : place;
  rememberNeighbours(
    chosen,
    images.nodes.map((image) => image.uuid),
  );
  const { workspace } = dataset;
  const key = keyPlace(workspace, page);
  return {
    title: dataset.name,
    body: [
      trail(link({}, 'Workspaces'), link({ workspace: workspace.uuid }, workspace.name)),
      dataset.description !== '' && element('p', {}, dataset.description),
      project && progressBar(project),
      project && exportPanel(project, signal),
      project && importPanel(project, workspace.viewerRole, signal),
      filterForm(page, dataset, project),
      key.root,
      element('p', { id: 'count', role: 'status' }, countOf(images.totalCount, place)),
      element(
        'ul',
        { class: 'grid' },
        images.nodes.map((image) =>
          thumbnail(page, image, { dataset, project, place: chosen, fail: key.fail }),
        ),
      ),
      pager(place, images.pageInfo),
    ],
  };
};

async function loadImages(
  place: Place,
  project: Project | null,
  signal: AbortSignal,
): Promise<NonNullable<ImagesData['dataset']>['images']> {
  const { dataset: uuid, class: className, state } = place;
  const filter = project && {
    projectId: project.id,
    ...(className !== undefined && { className }),
    ...(state !== undefined && { state }),
  };
  const variables = { uuid, filter, project: project?.id ?? '', annotated: project !== null };
  const { dataset } = await ask<ImagesData>(
    IMAGES,
    { ...variables, ...paging(place, SHOWN) },
    signal,
  );
  const none = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
  return dataset?.images ?? { totalCount: 0, nodes: [], pageInfo: none };
}

function countOf(count: number, { class: className, state }: Place): string {
  if (className !== undefined || state !== undefined)
    return count === 0 ? 'No image is like that.' : `${count} like that`;
  return count === 0 ? 'It has no images yet.' : counted(count, 'image');
}

/** Chooses project, class and state. */
function filterForm(page: Page, dataset: Dataset, project: Project | null): Child {
  if (!project)
    return element(
      'p',
      { class: 'hint' },
      'No project annotates this dataset: assign it to one to draw on its images.',
    );
  const { place } = page;
  const choice = (
    name: 'project' | 'class' | 'state',
    entries: readonly (readonly [string, string])[],
    chosen = '',
  ) => element('select', { id: `choose-${name}` }, options(entries, chosen));
  const projects = choice(
    'project',
    dataset.projects.nodes.map(({ uuid, name }) => [uuid, name]),
    project.uuid,
  );
  const names = project.classes.map(({ name }) => [name, name] as const);
  const classes = choice('class', [['', 'any'], ...names], place.class);
  const states = choice('state', [['', 'any'], ...STATES], place.state);
  const labelled = (label: string, select: HTMLSelectElement): HTMLElement =>
    element('div', {}, element('label', { for: select.id }, label), select);
  return element(
    'form',
    {
      class: 'row',
      'aria-label': 'Which images',
      onsubmit: (event) => {
        event.preventDefault();
        const isOther = projects.value !== project.uuid;
        page.go({
          ...firstPage(place),
          project: projects.value,
          class: isOther ? '' : classes.value,
          state: states.value,
        });
      },
    },
    labelled('Project', projects),
    labelled('Class', classes),
    labelled('State', states),
    element('button', { id: 'filter', class: 'quiet' }, 'Show'),
  );
}

/** A thumbnail with its annotations, which leads to the image. */
function thumbnail(
  page: Page,
  image: Image,
  given: {
    dataset: Dataset;
    project: Project | null;
    place: Place;
    fail: (error: unknown) => void;
  },
): HTMLElement {
  const { project, place, fail } = given;
  const { workspace } = given.dataset;
  const drawn = image.annotations?.nodes ?? [];
  const colours = new Map(project?.classes.map(({ name, color }) => [name, color]));
  const picture = element('img', { ...THUMBNAIL, alt: '' });
  if (isOpen(workspace))
    thumbnailOf(image, workspace, page.signal)
      .then((bytes) => showIn(picture, bytes))
      .then((isShown) => picture.classList.toggle('lost', !isShown))
      .catch((error: unknown) => {
        picture.classList.add('lost');
        fail(error);
      });
  const count = image.annotations?.totalCount ?? 0;
  return element(
    'li',
    {},
    link(
      { ...firstPage(place), image: image.uuid },
      element(
        'span',
        { class: 'picture' },
        picture,
        drawOnThumbnail(drawn, (name) => colours.get(name) ?? '#888888', image),
      ),
      element('span', { class: 'name' }, image.path ?? image.name),
    ),
    project &&
      element(
        'p',
        { class: 'hint' },
        `${stateName(image.review?.state ?? 'NONE')}, ${counted(count, 'annotation')}${count > drawn.length ? `, ${drawn.length} drawn` : ''}`,
        image.review?.assignee && `, assigned to ${image.review.assignee.displayName}`,
      ),
  );
}
