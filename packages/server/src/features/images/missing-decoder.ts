// What ReadImage does without an image library: returns the original file if models accept its format and size, otherwise
// says which package to install. Used by image-reader; the hint for sharp also by `doctor`. Reads the opened file.

import { Failure } from '@scorpiox/mcp/errors'
import { findExecutableEntry } from '../../process/program-files.js'
import type { OpenedFile } from '../../storage/untrusted-file.js'
import { fullRectangle, longEdge } from './geometry.js'
import { hasImageEnd, readImageSize } from './image-header.js'
import type { DecodeRequest, ImageResult, OptionalPackage } from './image-types.js'

const INSTALL_LOCATION = 'where scorpiox-code is installed (with -g if it is installed globally)'

/** The standalone executable loads no packages from disk. */
export const SHARP_INSTALL_HINT =
  findExecutableEntry() === undefined
    ? `run \`npm install sharp\` ${INSTALL_LOCATION}`
    : 'make a PNG or JPEG of it first, or use the npm package (`npx scorpiox-code`): this executable has no sharp'

export function noteOriginalFile(isExecutable = findExecutableEntry() !== undefined): string {
  const reason = isExecutable ? 'this executable cannot decode it' : 'sharp is not installed'
  return `The original file, neither rotated nor cropped: ${reason}`
}

export function installHintFor(
  packageName: Exclude<OptionalPackage, 'sharp'>,
  isExecutable = findExecutableEntry() !== undefined,
): string {
  const formatName = packageName === 'libheif-js' ? 'a HEIC image' : 'a PDF document'
  if (isExecutable)
    return `is ${formatName}, which this executable cannot decode: make a PNG or JPEG of it first, or use the npm package (\`npx scorpiox-code\`)`
  return `is ${formatName}, and its decoder is not installed: run \`npm install ${packageName}\` ${INSTALL_LOCATION}`
}

const MAX_ORIGINAL_BYTES = 2_600_000
/** Models reject a conversation with many images if one of them is larger. */
const MAX_ORIGINAL_EDGE = 2000

const MIME_TYPES = new Map([
  ['PNG', 'image/png'],
  ['JPEG', 'image/jpeg'],
  ['GIF', 'image/gif'],
  ['WebP', 'image/webp'],
])

/** Returns the original file. Throws a Failure if models do not accept its format or size. */
export async function readOriginalFile({ format, crop, page }: DecodeRequest, file: OpenedFile): Promise<ImageResult> {
  const mimeType = MIME_TYPES.get(format)
  if (mimeType === undefined) throw new Failure(`is ${format}, which must be converted; ${SHARP_INSTALL_HINT}`)
  if (crop !== undefined || page !== undefined)
    throw new Failure(`cannot be shown with crop or page; ${SHARP_INSTALL_HINT}`)
  if (file.size > MAX_ORIGINAL_BYTES)
    throw new Failure(`is too large to be shown unchanged (${file.size} bytes); ${SHARP_INSTALL_HINT}`)
  const bytes = Buffer.alloc(file.size)
  await file.handle.read(bytes, 0, bytes.length, 0)
  const original = readImageSize(bytes, format)
  if (original === undefined || !hasImageEnd(bytes, format)) throw new Failure('is damaged or truncated')
  if (longEdge(original) > MAX_ORIGINAL_EDGE) {
    const { width, height } = original
    throw new Failure(`is ${width} x ${height} pixels, too large to be shown unchanged; ${SHARP_INSTALL_HINT}`)
  }
  const data = bytes.toString('base64')
  return { data, mimeType, format, original, region: fullRectangle(original), shown: original, isOriginalFile: true }
}
