import { boxAfterKey, boxBetween, boxInTheMiddle, type Box } from './draft-box.ts';
import { element, shape } from '../page/element.ts';

/** The image with what is drawn over it, and with the box that is being drawn. */
export interface Stage {
  root: HTMLElement;
  picture: HTMLImageElement;
  /** Holds the annotations. */
  layer: SVGGElement;
  /** Shows a box, or none. */
  show: (box: Box | undefined) => void;
  focus: () => void;
}

interface StageOptions {
  image: { width: number; height: number; name: string };
  /** Is there a class to draw with? */
  canDraw: boolean;
  /** The box was drawn, moved or (undefined) discarded. */
  onBox: (box: Box | undefined) => void;
  /** The reader is content with the box. */
  onEnter: () => void;
}

/** A drag of fewer pixels of the screen is a click. */
const CLICK = 3;

/** Makes the stage: a box is drawn by dragging, or with the arrow keys. */
export function makeStage({ image, canDraw, onBox, onEnter }: StageOptions): Stage {
  const picture = element('img', { alt: image.name });
  const layer = shape('g');
  const draft = shape('g');
  const drawing = shape(
    'svg',
    {
      viewBox: `0 0 ${image.width} ${image.height}`,
      preserveAspectRatio: 'none',
      ...(canDraw
        ? {
            tabindex: 0,
            role: 'application',
            'aria-label': `Draw a box on ${image.name}`,
            'aria-describedby': 'draw-hint',
          }
        : { 'aria-hidden': 'true' }),
    },
    layer,
    draft,
  );
  const root = element('div', { id: 'stage' }, picture, drawing);
  // As large as the window allows, in the shape of the image.
  root.style.aspectRatio = `${image.width} / ${image.height}`;
  root.style.width = `min(100%, ${(75 * image.width) / image.height}vh)`;
  let box: Box | undefined;
  const show: Stage['show'] = (next) => {
    box = next;
    draft.replaceChildren(
      ...(box
        ? [
            shape('rect', { class: 'under', ...box }),
            shape('rect', { class: 'over draft', ...box }),
          ]
        : []),
    );
  };
  const draw = (next: Box | undefined): void => {
    show(next);
    onBox(next);
  };
  if (canDraw) {
    followPointer(drawing, image, draw);
    drawing.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && box) draw(undefined);
      else if (event.key === 'Enter') {
        if (box) onEnter();
        else draw(boxInTheMiddle(image));
      } else {
        const next = boxAfterKey(box ?? boxInTheMiddle(image), event, image);
        if (!next) return;
        draw(box ? next : boxInTheMiddle(image));
      }
      event.preventDefault();
    });
  }
  return { root, picture, layer, show, focus: () => drawing.focus() };
}

/** Draws with a mouse or pen, and with a finger where the stage takes them. */
function followPointer(
  drawing: SVGSVGElement,
  image: { width: number; height: number },
  draw: (box: Box) => void,
): void {
  let start: { at: [number, number]; x: number; y: number } | undefined;
  const pixelOf = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const { left, top, width, height } = drawing.getBoundingClientRect();
    return [((clientX - left) / width) * image.width, ((clientY - top) / height) * image.height];
  };
  drawing.addEventListener('pointerdown', (event) => {
    const byFinger = event.pointerType === 'touch';
    if (
      event.button !== 0 ||
      !event.isPrimary ||
      (byFinger && !drawing.classList.contains('fingers'))
    )
      return;
    event.preventDefault();
    // The image stays where the pointer is.
    drawing.focus({ preventScroll: true });
    drawing.setPointerCapture(event.pointerId);
    start = { at: pixelOf(event), x: event.clientX, y: event.clientY };
  });
  drawing.addEventListener('pointermove', (event) => {
    if (!start || !event.isPrimary) return;
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) < CLICK) return;
    draw(boxBetween(start.at, pixelOf(event), image));
  });
  for (const end of ['pointerup', 'pointercancel'] as const)
    drawing.addEventListener(end, () => (start = undefined));
}
