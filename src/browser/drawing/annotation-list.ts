import type { AnnotationRow } from '../page/documents.ts';
import { boxAround } from './draw-annotation.ts';
import { element, shape, type Child } from '../page/element.ts';

const SHAPES: Record<string, string> = {
  BBOX: 'box',
  POLYGON: 'polygon',
  POLYLINE: 'lines',
  POINTS: 'points',
  MASK: 'mask',
  CLASSIFICATION: 'whole image',
};

/** The annotations of an image as a list, each with a button that removes it when pressed twice. */
export function annotationList(
  annotations: readonly AnnotationRow[],
  given: {
    image: { width: number; height: number };
    colourOf: (className: string) => string;
    onRemove: (id: string) => void;
    onPoint: (id: string | undefined) => void;
  },
): Child {
  const { image, colourOf, onRemove, onPoint } = given;
  if (annotations.length === 0) return element('p', {}, 'Nothing is annotated yet.');
  return element(
    'ul',
    { id: 'annotations', class: 'plain' },
    annotations.map((one) => {
      const numbers = boxAround(one, image).map((value) => Math.round(value));
      const point = (): void => onPoint(one.id);
      const leave = (): void => onPoint(undefined);
      return element(
        'li',
        { onpointerenter: point, onpointerleave: leave, onfocusin: point, onfocusout: leave },
        shape(
          'svg',
          { class: 'swatch', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
          shape('rect', { width: 10, height: 10, fill: colourOf(one.className) }),
        ),
        element(
          'span',
          { class: 'what' },
          element('b', {}, one.className),
          ` ${SHAPES[one.shape] ?? one.shape}${one.shape === 'CLASSIFICATION' ? '' : ` ${numbers.join(', ')}`}`,
          element('span', { class: 'hint' }, ` by ${one.author?.displayName ?? 'an import'}`),
        ),
        removeButton(`${one.className} ${numbers.join(', ')}`, () => onRemove(one.id)),
      );
    }),
  );
}

function removeButton(what: string, remove: () => void): HTMLButtonElement {
  let isAsked = false;
  const button = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': `Remove ${what}`,
      onclick: () => {
        if (isAsked) return remove();
        isAsked = true;
        button.textContent = 'Really?';
        button.ariaLabel = `Really remove ${what}?`;
      },
      onblur: () => {
        isAsked = false;
        button.textContent = 'Remove';
        button.ariaLabel = `Remove ${what}`;
      },
    },
    'Remove',
  );
  return button;
}
