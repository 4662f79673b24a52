import { rowsById } from '../workspaces/rows-by-id.ts';
import { imageList } from './image.ts';

/** Images by id. GraphQL `image`, `node`. */
export const {
  load: loadImage,
  require: requireImage,
  forget: forgetImages,
} = rowsById('Image', imageList);
