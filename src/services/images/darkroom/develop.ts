// Processes one request in the image worker: reads the verified file, decodes it and encodes the result.

import { Failure } from '../../../lib/failure.js'
import { imageFormatOf, type ImageFormat } from '../../../lib/image-format.js'
import { isSame, openRegular } from '../../../platform/regular-file.js'
import type { Missing, Order, Picture } from '../picture.js'
import type { Exposure, Subject } from './exposure.js'
import { MissingPackage } from './missing-package.js'
import { print } from './print.js'

type ProcessResult = { readonly image: Picture } | { readonly failure: string } | { readonly missing: Missing }

export async function develop(request: Order): Promise<ProcessResult> {
  try {
    const input = await decompressSvgz({ ...request, bytes: await readVerifiedFile(request) })
    const decode = await loadDecoder(input.format)
    return { image: await print(input.format, await decode(input)) }
  } catch (error) {
    if (error instanceof MissingPackage) return { missing: error.needed }
    if (error instanceof Failure) return { failure: error.message }
    throw error
  }
}

/** Reads the file only if it is the one that the parent process checked. */
async function readVerifiedFile({ path, identity }: Order): Promise<Buffer> {
  const { handle, identity: found } = await openRegular(path)
  try {
    if (!isSame(found, identity)) throw new Failure('was replaced while it was opened; try again')
    const { size } = await handle.stat()
    const bytes = Buffer.allocUnsafe(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0)
    if (bytesRead < size) throw new Failure('was truncated while it was read; try again')
    return bytes
  } finally {
    await handle.close()
  }
}

const MAX_DECOMPRESSED_BYTES = 8 * 1024 * 1024

async function decompressSvgz(input: Subject): Promise<Subject> {
  if (input.format !== 'SVGZ') return input
  const { gunzipSync } = await import('node:zlib')
  const bytes = orUndefined(() => gunzipSync(input.bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES }))
  if (bytes === undefined || imageFormatOf(bytes) !== 'SVG') throw new Failure('is gzip data, not an image')
  return { ...input, bytes, format: 'SVG' }
}

function orUndefined(work: () => Buffer): Buffer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

async function loadDecoder(format: ImageFormat): Promise<(input: Subject) => Promise<Exposure>> {
  if (format === 'SVG') return (await import('./svg.js')).exposeSvg
  if (format === 'HEIC') return (await import('./heic.js')).exposeHeic
  if (format === 'PDF') return (await import('./pdf.js')).exposePdf
  return (await import('./raster.js')).exposeRaster
}
