/** Accepted types of images, recognised by their bytes. */
export const imageTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  tiff: 'image/tiff',
  avif: 'image/avif',
} as const;

export type ImageType = keyof typeof imageTypes;

export interface InspectedImage {
  type: ImageType;
  /** Of the upright image: after the camera's orientation has been applied (D-68). */
  width: number;
  height: number;
  /** JPEG of exactly 270 × 200 without metadata (D-67). */
  thumbnail: Buffer;
}

/** Reads images from local files, only a few at once, so that uploads don't stall other requests. */
export interface ImageReader {
  /** Decodes the image. Throws UnusableImageError. */
  inspect(path: string): Promise<InspectedImage>;
  /** Can the bytes be read as an image of any type? Used for encrypted uploads, where they must not (D-69). */
  isImage(path: string): Promise<boolean>;
}

/** A reader that runs in its own process, for users in turn. `close` ends the process; unfinished work fails. */
export interface ImageEngine {
  inspect(path: string, userId?: number): Promise<InspectedImage>;
  isImage(path: string, userId?: number): Promise<boolean>;
  close(): Promise<void>;
}

/** `UNSUPPORTED_IMAGE_TYPE`: not one of the types; `INVALID_IMAGE`: damaged, too many pixels, or too slow to decode. */
export class UnusableImageError extends Error {
  override name = 'UnusableImageError';
  readonly code: 'UNSUPPORTED_IMAGE_TYPE' | 'INVALID_IMAGE';

  constructor(
    code: 'UNSUPPORTED_IMAGE_TYPE' | 'INVALID_IMAGE',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
  }
}

/** Size of a thumbnail (D-67). */
export const THUMBNAIL_WIDTH = 270;
export const THUMBNAIL_HEIGHT = 200;
