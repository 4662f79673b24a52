import sharp, { type Metadata, type Sharp } from 'sharp';
import {
  imageTypes,
  THUMBNAIL_HEIGHT,
  THUMBNAIL_WIDTH,
  UnusableImageError,
  type ImageReader,
  type ImageType,
} from '../core/context/imaging.ts';
import { limitParallel } from '../core/turns/limit.ts';

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff'].map(
  (name) => `VipsForeignLoad${name}`,
);

export interface ImageReaderOptions {
  /** Images with more pixels are refused before they are decoded. */
  maxPixels: number;
  /** The same limit for formats whose decoder holds the whole image in memory: a 3 kB AVIF can ask for 4 GB. */
  maxBufferedPixels: number;
  /** Decoding is given up after this many seconds. */
  timeoutSeconds: number;
  /** Images decoded at once; the headers of as many more are read ahead. */
  parallel: number;
}

/**
 * The image library behind one queue. All loaders except those of the six accepted types are blocked for the whole
 * process: a loader that can't run can't be exploited (SVG, PDF, ImageMagick formats). Each job uses one thread, and
 * nothing is cached between jobs.
 */
export function createImageReader(options: ImageReaderOptions): ImageReader {
  const { maxPixels, maxBufferedPixels, timeoutSeconds, parallel } = options;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
  // The header of the next image is read while one is decoded: otherwise the decoder would wait for it.
  const headed = limitParallel(parallel);
  const decoded = limitParallel(parallel);
  const open = (path: string): Sharp =>
    sharp(path, { limitInputPixels: maxPixels, failOn: 'error' });
  const readHead = async (path: string): Promise<{ type: ImageType; metadata: Metadata }> => {
    const metadata = await open(path).metadata().catch(refuse);
    const type = typeOf(metadata);
    if (!type)
      throw new UnusableImageError(
        'UNSUPPORTED_IMAGE_TYPE',
        `only ${Object.keys(imageTypes).join(', ')} can be stored`,
      );
    if (isBuffered(type, metadata) && metadata.width * metadata.height > maxBufferedPixels)
      throw new UnusableImageError('INVALID_IMAGE', 'the image has too many pixels');
    return { type, metadata };
  };
  const makeThumbnail = (path: string): Promise<Buffer> =>
    open(path)
      .autoOrient()
      .resize(THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, { fit: 'contain', background: '#ffffff' })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 80 })
      .timeout({ seconds: timeoutSeconds })
      .toBuffer()
      .catch(refuse);
  return {
    async inspect(path) {
      const { type, metadata } = await headed(() => readHead(path));
      const thumbnail = await decoded(() => makeThumbnail(path));
      return {
        type,
        width: metadata.autoOrient.width,
        height: metadata.autoOrient.height,
        thumbnail,
      };
    },
    isImage: (path) =>
      headed(async () => {
        const metadata = await open(path)
          .metadata()
          .catch(() => undefined);
        return metadata !== undefined;
      }),
  };
}

/** The type by content; HEIF files count only if they contain AV1. */
function typeOf(metadata: Metadata): ImageType | undefined {
  if (metadata.format === 'heif') return metadata.compression === 'av1' ? 'avif' : undefined;
  return isImageType(metadata.format) ? metadata.format : undefined;
}

function isImageType(format: string): format is ImageType {
  return format in imageTypes;
}

/** Baseline JPEG, plain PNG and TIFF are decoded strip by strip; everything else is held in memory as a whole. */
function isBuffered(type: ImageType, metadata: Metadata): boolean {
  return type === 'avif' || type === 'gif' || type === 'webp' || metadata.isProgressive;
}

/** The library gives its reasons only in messages. */
function refuse(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/unsupported image format|input file is missing|input file is empty/i.test(reason)) {
    throw new UnusableImageError(
      'UNSUPPORTED_IMAGE_TYPE',
      'the bytes are not an image of an accepted type',
      { cause },
    );
  }
  if (/pixel limit/i.test(reason))
    throw new UnusableImageError('INVALID_IMAGE', 'the image has too many pixels', { cause });
  if (/timeout/i.test(reason))
    throw new UnusableImageError('INVALID_IMAGE', 'the image takes too long to decode', { cause });
  throw new UnusableImageError('INVALID_IMAGE', 'the image is damaged', { cause });
}
