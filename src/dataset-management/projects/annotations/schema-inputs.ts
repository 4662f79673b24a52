import { builder } from '../../../core/graphql/builder.ts';
import { attributesForm } from './attributes.ts';

/** `AnnotationShape`. */
export const AnnotationShapeEnum = builder.enumType('AnnotationShape', {
  description: 'Shape of an annotation on its image.',
  values: {
    BBOX: { description: 'A box; geometry: [x, y, width, height] in pixels of the upright image.' },
    POLYGON: {
      description: 'A polygon; geometry: rings [x1, y1, x2, y2, …] in pixels of the upright image.',
    },
    POLYLINE: {
      description:
        'Open lines; geometry: lines [x1, y1, x2, y2, …] in pixels of the upright image.',
    },
    POINTS: {
      description:
        'Points, such as the joints of a body; geometry: [x1, y1, v1, x2, y2, v2, …] in pixels of the upright image, where v is 0 (not labelled), 1 (hidden) or 2 (visible).',
    },
    MASK: {
      description:
        'A mask of pixels; geometry: {size: [height, width], counts}, run lengths as COCO writes them, plain or compressed.',
    },
    CLASSIFICATION: { description: 'The image as a whole; no geometry.' },
  } as const,
});

/** `AnnotationInput`. */
export const AnnotationInputRef = builder.inputType('AnnotationInput', {
  description: 'One annotation.',
  fields: (t) => ({
    className: t.string({ required: true, description: 'Name of a class of the project.' }),
    shape: t.field({
      type: AnnotationShapeEnum,
      required: true,
      description: 'Shape of the annotation.',
    }),
    geometry: t.field({
      type: 'JSON',
      description:
        'Where it is on the image, in the form that the shape requires; omit it for CLASSIFICATION.',
    }),
    attributes: t.field({
      type: 'JSON',
      description: `What else is said of it, by name, such as {"occluded": true}: ${attributesForm}.`,
    }),
  }),
});
