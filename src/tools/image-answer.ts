// Handler of ReadImage: parses the crop and formats the result. Loaded by the first call.

import { Failure } from '../lib/failure.js'
import type { Rectangle } from '../lib/rectangle.js'
import type { Picture } from '../services/images/picture.js'
import { imageWords } from './words/image.js'

export interface Shown {
  readonly format: string
  /** Of the original. */
  readonly width: number
  readonly height: number
  /** Upper left corner of the region, in the original. */
  readonly x: number
  readonly y: number
  readonly scale: number
  readonly image: { readonly data: string; readonly mimeType: string }
  readonly words: string
}

export function readCrop(numbers: readonly number[] | undefined): Rectangle | undefined {
  if (numbers === undefined || numbers.length === 0) return undefined
  const [x = 0, y = 0, width = 0, height = 0] = numbers
  if (numbers.length === 4 && width >= 1 && height >= 1) return { x, y, width, height }
  throw new Failure('crop takes four numbers: x, y, width and height in pixels of the original, the last two above 0.')
}

export function answerWith(image: Picture, path: string): Shown {
  const { data, mimeType, format, original, region, shown } = image
  const scale = Number((shown.width / region.width).toPrecision(4))
  return {
    format,
    width: original.width,
    height: original.height,
    x: region.x,
    y: region.y,
    scale,
    image: { data, mimeType },
    words: imageWords(image, scale, path),
  }
}
