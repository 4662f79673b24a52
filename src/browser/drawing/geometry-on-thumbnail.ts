/** Size of every thumbnail. */
export const THUMBNAIL = { width: 270, height: 200 } as const;

/** How an image lies on its thumbnail: whole, in the middle, on white. Multiply by `scale`, then add `left` and `top`. */
export function placeOnThumbnail(image: { width: number; height: number }): {
  scale: number;
  left: number;
  top: number;
} {
  const scale = Math.min(THUMBNAIL.width / image.width, THUMBNAIL.height / image.height);
  return {
    scale,
    left: (THUMBNAIL.width - image.width * scale) / 2,
    top: (THUMBNAIL.height - image.height * scale) / 2,
  };
}
