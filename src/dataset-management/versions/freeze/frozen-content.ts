import * as z from 'zod';
import { annotationShapes } from '../../projects/annotations/geometry.ts';

const annotation = z.object({
  id: z.string(),
  classId: z.string(),
  shape: z.enum(annotationShapes),
  geometry: z.unknown(),
  attributes: z.unknown().optional(),
  coco: z.unknown().optional(),
  createdAt: z.string(),
});
/** An annotation as it was; the members that it does not have are undefined. */
export type FrozenAnnotation = z.infer<typeof annotation>;

const workContent = z.object({
  work: z.object({
    imageId: z.string(),
    projectId: z.string(),
    state: z.enum(['NONE', 'ANNOTATED', 'ACCEPTED', 'REJECTED']),
    annotations: z.array(annotation),
  }),
});
const imageContent = z.object({
  image: z.object({
    id: z.string(),
    name: z.string(),
    path: z.string().nullable(),
    width: z.number(),
    height: z.number(),
    mimeType: z.string().nullable(),
    createdAt: z.string(),
    sha256: z.string(),
  }),
});
const classesContent = z.object({
  project: z.object({
    id: z.string(),
    classes: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        color: z.string(),
        position: z.number(),
        supercategory: z.string().nullable(),
        skeleton: z.unknown(),
      }),
    ),
  }),
});

/** An image as it was. */
export type FrozenImage = z.infer<typeof imageContent>['image'];
/** The work on an image in a project as it was. */
export type FrozenWork = z.infer<typeof workContent>['work'];
/** The classes of a project as they were. */
export type FrozenClasses = z.infer<typeof classesContent>['project'];

/** Reads the content of an item. */
export const readImage = (text: string): FrozenImage => imageContent.parse(JSON.parse(text)).image;
/** Reads the content of an item. */
export const readWork = (text: string): FrozenWork => workContent.parse(JSON.parse(text)).work;
/** Reads the content of an item. */
export const readClasses = (text: string): FrozenClasses =>
  classesContent.parse(JSON.parse(text)).project;
