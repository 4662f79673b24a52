import { ask } from './page/ask.ts';
import {
  ONE_IMAGE,
  ONE_PROJECT,
  type AnnotationClassRow,
  type ImageData,
  type ProjectData,
} from './page/documents.ts';
import { element, type Child } from './page/element.ts';
import { keyPlace } from './key-form.ts';
import { listOf, neighboursOf } from './neighbours.ts';
import { isOpen, originalOf, showIn, thumbnailOf } from './pictures.ts';
import { annotate } from './drawing/annotate.ts';
import { placeOnThumbnail, THUMBNAIL } from './drawing/geometry-on-thumbnail.ts';
import { link, notFound, trail, type Page, type Show } from './page/view.ts';

type Image = NonNullable<ImageData['image']>;

/** An image as a whole: what is annotated on it, a form for a new box, and its state. */
export const showImage: Show = async (page) => {
  const { place, signal } = page;
  const { image } = await ask<ImageData>(ONE_IMAGE, { uuid: place.image }, signal);
  if (!image) return notFound('Image');
  const { dataset } = image;
  const { workspace } = dataset;
  const project =
    place.project === undefined
      ? null
      : (await ask<ProjectData>(ONE_PROJECT, { uuid: place.project }, signal)).project;
  const list = { ...listOf(dataset.uuid, image.uuid), ...(project && { project: project.uuid }) };
  const head = [
    trail(
      link({}, 'Workspaces'),
      link({ workspace: workspace.uuid }, workspace.name),
      link(list, dataset.name),
    ),
    beside(page, image.uuid),
  ];
  const key = keyPlace(workspace, page);
  if (!isOpen(workspace)) return { title: image.name, body: [head, key.root] };
  const classes: readonly AnnotationClassRow[] = project?.classes ?? [];
  const { stage, body } = await annotate(page, {
    image,
    project,
    classes,
    role: workspace.viewerRole,
  });
  void draw(page, image, stage.picture).catch((error: unknown) => {
    stage.picture.classList.add('lost');
    key.fail(error);
  });
  return {
    title: image.name,
    body: [
      head,
      element(
        'p',
        { class: 'hint' },
        `${image.path ?? image.name}, ${image.width} × ${image.height} pixels`,
      ),
      !project &&
        element(
          'p',
          { class: 'hint' },
          'Boxes belong to a project: come here from a dataset that one annotates.',
        ),
      key.root,
      body,
    ],
  };
};

/** Links to the images before and after in the list from which the reader came. */
function beside({ place }: Page, uuid: string): Child {
  const { previous, next } = neighboursOf(uuid);
  if (previous === undefined && next === undefined) return null;
  return element(
    'nav',
    { class: 'pager', 'aria-label': 'Images' },
    previous !== undefined && link({ ...place, image: previous }, 'Previous image'),
    next !== undefined && link({ ...place, image: next }, 'Next image'),
  );
}

/** Shows the original, or its thumbnail where the browser can't draw the format, such as TIFF. */
async function draw(page: Page, image: Image, picture: HTMLImageElement): Promise<void> {
  const { workspace } = image.dataset;
  if (await showIn(picture, await originalOf(image, workspace, page.signal))) return;
  if (!(await showIn(picture, await thumbnailOf(image, workspace, page.signal)))) {
    picture.classList.add('lost');
    return page.say('The browser can not draw this image.');
  }
  // Its white margins lie outside.
  const { scale, left, top } = placeOnThumbnail(image);
  const [width, height] = [image.width * scale, image.height * scale];
  picture.style.width = `${(100 * THUMBNAIL.width) / width}%`;
  picture.style.height = `${(100 * THUMBNAIL.height) / height}%`;
  picture.style.left = `${(-100 * left) / width}%`;
  picture.style.top = `${(-100 * top) / height}%`;
  page.say('The browser can not draw this format: this is the thumbnail, enlarged.');
}
