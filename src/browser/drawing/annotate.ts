import { ask, change, Refusal } from '../page/ask.ts';
import { annotationList } from './annotation-list.ts';
import { makeBoxForm } from './box-form.ts';
import {
  ANNOTATIONS,
  CHANGE_ANNOTATIONS,
  type AnnotationClassRow,
  type AnnotationRow,
  type AnnotationsData,
  type ImageRow,
  type ProjectRow,
  type Review,
} from '../page/documents.ts';
import type { Box } from './draft-box.ts';
import { drawAnnotation } from './draw-annotation.ts';
import { element, type Child } from '../page/element.ts';
import { once } from '../page/once.ts';
import { reviewPanel } from './review-panel.ts';
import { makeStage, type Stage } from './stage.ts';
import type { Page } from '../page/view.ts';

interface Work {
  review: Review | null;
  annotations: AnnotationRow[];
}

interface Subject {
  image: ImageRow;
  project: ProjectRow | null;
  classes: readonly AnnotationClassRow[];
  role: string;
}

/** What an image had when it was read, for all pages of its annotations: an image has at most 2,000. */
async function loadWork(uuid: string, project: string, signal: AbortSignal): Promise<Work> {
  const work: Work = { review: null, annotations: [] };
  for (let after: string | null = null; ;) {
    const variables = { uuid, project, after };
    const data: AnnotationsData = await ask<AnnotationsData>(ANNOTATIONS, variables, signal);
    const { image } = data;
    if (!image) return work;
    work.review ??= image.review;
    work.annotations.push(...image.annotations.nodes);
    const { hasNextPage, endCursor } = image.annotations.pageInfo;
    if (!hasNextPage || endCursor === null) return work;
    after = endCursor;
  }
}

/** The image with its annotations, which can be added to and removed from. */
export async function annotate(
  page: Page,
  { image, project, classes, role }: Subject,
): Promise<{ stage: Stage; body: Child }> {
  const colours = new Map(classes.map(({ name, color }) => [name, color]));
  const colourOf = (name: string): string => colours.get(name) ?? '#888888';
  let draft: Box | undefined;
  let work: Work = { review: null, annotations: [] };
  const canDraw = project !== null && classes.length > 0;
  const setBox = (box: Box | undefined): void => {
    draft = box;
  };
  const stage = makeStage({
    image,
    canDraw,
    onBox: (box) => {
      setBox(box);
      form.show(box);
    },
    onEnter: () => form.focus(),
  });
  const discard = (): void => {
    setBox(undefined);
    stage.show(undefined);
    form.show(undefined);
    stage.focus();
  };
  const form = makeBoxForm({
    image,
    classes,
    onBox: (box) => {
      setBox(box);
      stage.show(box);
    },
    onSave: () => void save(),
    onDiscard: discard,
  });
  page.guard(() => draft !== undefined);
  const list = element('div');
  const review = element('div');
  const reload = async (): Promise<void> => {
    if (!project) return;
    work = await loadWork(image.uuid, project.id, page.signal);
    const drawn = new Map(
      work.annotations.map((one) => [one.id, drawAnnotation(one, colourOf(one.className), image)]),
    );
    stage.layer.replaceChildren(...drawn.values());
    list.replaceChildren(
      element(
        'div',
        {},
        annotationList(work.annotations, {
          image,
          colourOf,
          onRemove: (id) => void write({ remove: [id] }, 'Removed.').then(stage.focus),
          onPoint: (id) => drawn.forEach((one, own) => one.classList.toggle('pointed', own === id)),
        }),
      ),
    );
    review.replaceChildren(
      reviewPanel(page, { image, project, role, review: work.review, reload }),
    );
  };
  /**
   * Writes what depends on what is shown, once for several presses; what somebody else has changed meanwhile is shown
   * instead.
   */
  const write = once(async (changes: object, done: string): Promise<boolean> => {
    const expectedVersion = work.review?.version ?? 0;
    try {
      await change(CHANGE_ANNOTATIONS, {
        projectId: project?.id,
        imageId: image.id,
        expectedVersion,
        ...changes,
      });
      await reload();
      page.say(done);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'CONFLICT') {
        await reload().catch(() => undefined);
        page.fail(
          new Refusal(
            'Somebody else has changed this image meanwhile: here is how it is now. Nothing of yours was saved; do it again if it still fits.',
            error.code,
          ),
        );
      } else page.fail(error);
      return false;
    }
  });
  const save = async (): Promise<void> => {
    if (!draft) return page.fail(new Refusal('Draw a box inside the image first.', ''));
    const { x, y, width, height } = draft;
    const added = { className: form.className(), shape: 'BBOX', geometry: [x, y, width, height] };
    if (await write({ add: [added] }, `Saved a box of ${added.className}.`)) discard();
  };
  await reload();
  return {
    stage,
    body: element(
      'div',
      { class: 'work' },
      element('div', {}, stage.root, canDraw && fingerButton(stage)),
      project &&
        element(
          'div',
          {},
          review,
          canDraw
            ? form.root
            : element(
                'p',
                { class: 'hint' },
                'The project has no classes yet, so nothing can be drawn.',
              ),
          element('h2', {}, 'Annotations'),
          list,
        ),
    ),
  };
}

/** Where fingers scroll the page, they draw only when asked to. */
function fingerButton(stage: Stage): HTMLButtonElement {
  const drawing = stage.root.querySelector('svg');
  const button = element(
    'button',
    {
      type: 'button',
      class: 'quiet fingers-only',
      'aria-pressed': 'false',
      onclick: () => {
        const isOn = drawing?.classList.toggle('fingers') ?? false;
        button.ariaPressed = String(isOn);
        button.textContent = isOn ? 'Scroll again' : 'Draw with a finger';
      },
    },
    'Draw with a finger',
  );
  return button;
}
