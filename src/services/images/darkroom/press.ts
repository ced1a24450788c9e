// What turns pixels into files.

import type { Pixels } from '../../../lib/plain-png.js'
import type { Size } from '../../../lib/rectangle.js'

export interface Press {
  resized(pixels: Pixels, size: Size): Promise<Pixels>
  png(pixels: Pixels): Promise<Buffer>
  /** A drawing keeps its colours as sharp as its lines, where the press can do that. */
  jpeg(pixels: Pixels, quality: number, isDrawn: boolean): Promise<Buffer>
}
