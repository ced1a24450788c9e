// Interface of image encoders.

import type { Pixels } from '../../../lib/plain-png.js'
import type { Size } from '../../../lib/rectangle.js'

export interface Press {
  resized(pixels: Pixels, size: Size): Promise<Pixels>
  png(pixels: Pixels): Promise<Buffer>
  /** Graphics are encoded without chroma subsampling if the encoder supports that. */
  jpeg(pixels: Pixels, quality: number, isGraphic: boolean): Promise<Buffer>
}
