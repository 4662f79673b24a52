import { change } from '../page/ask.ts';
import { REVIEW, type ImageRow, type ProjectRow, type Review } from '../page/documents.ts';
import { element } from '../page/element.ts';
import { once } from '../page/once.ts';
import { stateName } from '../page/progress.ts';
import type { Page } from '../page/view.ts';

/** What may be done to an image in a state; annotators only mark it as annotated. */
const STEPS = [
  { state: 'ANNOTATED', label: 'Mark as annotated', forAll: true },
  { state: 'ACCEPTED', label: 'Accept', forAll: false },
  { state: 'REJECTED', label: 'Reject', forAll: false },
] as const;

/** The state of an image in a project, and buttons that change it. */
export function reviewPanel(
  page: Page,
  given: {
    image: ImageRow;
    project: ProjectRow;
    role: string;
    review: Review | null;
    reload: () => Promise<void>;
  },
): HTMLElement {
  const { image, project, role, review, reload } = given;
  const now = review?.state ?? 'NONE';
  const set = once(async (state: string): Promise<void> => {
    try {
      const expectedVersion = review?.version ?? 0;
      await change(REVIEW, { projectId: project.id, imageId: image.id, expectedVersion, state });
      await reload();
      page.say(`The image is ${stateName(state)} now.`);
    } catch (error) {
      await reload().catch(() => undefined);
      page.fail(error);
    }
  });
  return element(
    'div',
    { id: 'review' },
    element(
      'p',
      {},
      `In ${project.name}: `,
      element('b', {}, stateName(now)),
      review?.assignee && `, assigned to ${review.assignee.displayName}`,
    ),
    STEPS.filter(({ state, forAll }) => state !== now && (forAll || role !== 'ANNOTATOR')).map(
      ({ state, label }) =>
        element(
          'button',
          { type: 'button', class: 'quiet', onclick: () => void set(state) },
          label,
        ),
    ),
  );
}
