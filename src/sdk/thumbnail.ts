/** Size that encrypted workspaces require. */
const WIDTH = 270;
const HEIGHT = 200;

/**
 * The part of the browser's canvas that is used; declared here, because the package also serves programs without a DOM.
 */
interface Bitmap {
  readonly width: number;
  readonly height: number;
  close(): void;
}
interface CanvasContext {
  fillStyle: string;
  imageSmoothingQuality: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(image: Bitmap, x: number, y: number, width: number, height: number): void;
}
interface Canvas {
  getContext(kind: '2d'): CanvasContext | null;
  convertToBlob(options: { type: string; quality: number }): Promise<Blob>;
}
declare const OffscreenCanvas: undefined | (new (width: number, height: number) => Canvas);
declare const createImageBitmap:
  undefined | ((image: Blob, options: { imageOrientation: 'from-image' }) => Promise<Bitmap>);

export interface Thumbnail {
  /** JPEG of 270 × 200, the whole image on white. */
  thumbnail: Uint8Array<ArrayBuffer>;
  /** Of the upright original. */
  width: number;
  height: number;
}

/** Makes the thumbnail of an image with the browser's canvas. Elsewhere it throws: bring a thumbnail from an image library. */
export async function makeThumbnail(image: Blob): Promise<Thumbnail> {
  if (typeof OffscreenCanvas === 'undefined' || typeof createImageBitmap === 'undefined') {
    throw new TypeError('there is no canvas here: give thumbnail, width and height with the image');
  }
  const bitmap = await createImageBitmap(image, { imageOrientation: 'from-image' });
  try {
    const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('the browser gave no drawing context');
    const scale = Math.min(WIDTH / bitmap.width, HEIGHT / bitmap.height);
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, WIDTH, HEIGHT);
    context.imageSmoothingQuality = 'high';
    context.drawImage(
      bitmap,
      Math.round((WIDTH - width) / 2),
      Math.round((HEIGHT - height) / 2),
      width,
      height,
    );
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 });
    return {
      thumbnail: new Uint8Array(await blob.arrayBuffer()),
      width: bitmap.width,
      height: bitmap.height,
    };
  } finally {
    bitmap.close();
  }
}
