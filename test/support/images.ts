import sharp, { type Sharp } from 'sharp';

/** A photograph-like picture: the top left quarter red, the rest a gradient, so that turning and cropping show. */
export function picture(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const pixels = Buffer.alloc(width * height * channels, 255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const red = x < width / 2 && y < height / 2;
      pixels.set(
        red ? [255, 0, 0] : [0, (x * 255) / width, (y * 255) / height],
        (y * width + x) * channels,
      );
    }
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

/** The picture as a JPEG file. */
export function jpeg(width = 400, height = 300): Promise<Buffer> {
  return picture(width, height).jpeg().toBuffer();
}
