// From an order to a picture: the file that was meant is read, exposed by what knows its format, and printed.

import { Failure } from '../../../lib/failure.js'
import { imageFormatOf, type ImageFormat } from '../../../lib/image-format.js'
import { isSame, openRegular } from '../../../platform/regular-file.js'
import type { Missing, Order, Picture } from '../picture.js'
import type { Exposure, Subject } from './exposure.js'
import { MissingPackage } from './missing-package.js'
import { print } from './print.js'

type Outcome = { readonly picture: Picture } | { readonly failure: string } | { readonly missing: Missing }

export async function develop(order: Order): Promise<Outcome> {
  try {
    const subject = await unpacked({ ...order, bytes: await readMeant(order) })
    const expose = await exposerFor(subject.format)
    return { picture: await print(subject.format, await expose(subject)) }
  } catch (error) {
    if (error instanceof MissingPackage) return { missing: error.needed }
    if (error instanceof Failure) return { failure: error.message }
    throw error
  }
}

/** It may only be the very file that was allowed. */
async function readMeant({ path, identity }: Order): Promise<Buffer> {
  const { handle, identity: found } = await openRegular(path)
  try {
    if (!isSame(found, identity)) throw new Failure('was replaced while it was opened; try again')
    const { size } = await handle.stat()
    const bytes = Buffer.allocUnsafe(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0)
    if (bytesRead < size) throw new Failure('was cut while it was read; try again')
    return bytes
  } finally {
    await handle.close()
  }
}

const MAX_UNPACKED_BYTES = 8 * 1024 * 1024

async function unpacked(subject: Subject): Promise<Subject> {
  if (subject.format !== 'SVGZ') return subject
  const { gunzipSync } = await import('node:zlib')
  const bytes = attempt(() => gunzipSync(subject.bytes, { maxOutputLength: MAX_UNPACKED_BYTES }))
  if (bytes === undefined || imageFormatOf(bytes) !== 'SVG') throw new Failure('is gzip data, not an image')
  return { ...subject, bytes, format: 'SVG' }
}

function attempt(work: () => Buffer): Buffer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

async function exposerFor(format: ImageFormat): Promise<(subject: Subject) => Promise<Exposure>> {
  if (format === 'SVG') return (await import('./svg.js')).exposeSvg
  if (format === 'HEIC') return (await import('./heic.js')).exposeHeic
  if (format === 'PDF') return (await import('./pdf.js')).exposePdf
  return (await import('./raster.js')).exposeRaster
}
