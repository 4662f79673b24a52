import { boxOfNumbers, type Box } from './draft-box.ts';
import type { AnnotationClassRow } from '../page/documents.ts';
import { element, options } from '../page/element.ts';

/** The fields of the new box: its class and its four numbers. */
export interface BoxForm {
  root: HTMLFormElement;
  /** The class that is chosen. */
  className: () => string;
  /** Writes a box into the fields. */
  show: (box: Box | undefined) => void;
  focus: () => void;
}

interface BoxFormOptions {
  image: { width: number; height: number };
  classes: readonly AnnotationClassRow[];
  /** A box was typed; undefined while it is none. */
  onBox: (box: Box | undefined) => void;
  onSave: () => void;
  onDiscard: () => void;
}

const FIELDS = ['x', 'y', 'width', 'height'] as const;

/** Class of the last box, which the next one mostly has, too. */
let lastClass: string | undefined;

/** Makes the form. */
export function makeBoxForm(given: BoxFormOptions): BoxForm {
  const { image, classes, onBox, onSave, onDiscard } = given;
  const chosen = element(
    'select',
    { id: 'box-class' },
    options(
      classes.map(({ name }) => [name, name]),
      lastClass,
    ),
  );
  chosen.addEventListener('change', () => (lastClass = chosen.value));
  const fields = FIELDS.map((name) =>
    element('input', {
      id: `box-${name}`,
      type: 'number',
      inputmode: 'numeric',
      step: 'any',
      min: 0,
      max: name === 'x' || name === 'width' ? image.width : image.height,
      required: true,
      oninput: () =>
        onBox(
          boxOfNumbers(
            fields.map((field) => field.valueAsNumber),
            image,
          ),
        ),
    }),
  );
  const root = element(
    'form',
    {
      id: 'box-form',
      onsubmit: (event) => {
        event.preventDefault();
        onSave();
      },
    },
    element('h2', {}, 'New box'),
    element(
      'p',
      { id: 'draw-hint', class: 'hint' },
      'Drag over the image, or type its numbers. By keyboard, on the image: Enter begins a box, arrows move it, with Shift they size it, with Alt by one pixel; Enter then goes on to its class, Escape discards it.',
    ),
    element('div', {}, element('label', { for: chosen.id }, 'Class'), chosen),
    element(
      'div',
      { class: 'row numbers' },
      fields.map((field, at) =>
        element('div', {}, element('label', { for: field.id }, FIELDS[at]), field),
      ),
    ),
    element('button', { id: 'save-box' }, 'Save box'),
    element('button', { type: 'button', class: 'quiet', onclick: onDiscard }, 'Discard'),
  );
  return {
    root,
    className: () => chosen.value,
    show: (box) => {
      fields.forEach((field, at) => {
        const name = FIELDS[at];
        field.value = box && name ? String(box[name]) : '';
      });
    },
    focus: () => chosen.focus(),
  };
}
