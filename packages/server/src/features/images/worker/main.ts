// Entry of the image worker process, which decodes untrusted images: a hang, crash or memory leak affects only this
// process. Started by image-worker-pool; handles one image at a time. Reads the image file and returns the encoded image.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { runBoundedWorker } from '../../../process/bounded-worker.js'
import { isSameFile, openUntrustedFile } from '../../../storage/untrusted-file.js'
import { detectImageFormat, type ImageFormat } from '../image-format.js'
import { decodeBudgetFor, type DecodeRequest, type ImageWorkerReply } from '../image-types.js'
import type { DecodedImage, DecodeInput } from './decoded-image.js'
import { encodeImage } from './encoder.js'
import { MissingPackageError } from './image-libraries.js'

runBoundedWorker({
  budgetFor: (request) => decodeBudgetFor(isDecodeRequest(request) ? request.format : 'SVG'),
  async handle(request): Promise<ImageWorkerReply> {
    if (!isDecodeRequest(request))
      return { failure: 'could not be decoded (the image worker received an invalid request)' }
    return processImage(request).catch((error: unknown) => ({
      failure: `could not be decoded (${errorMessage(error)})`,
    }))
  },
})

function isDecodeRequest(value: unknown): value is DecodeRequest {
  return isJsonObject(value) && typeof value.path === 'string'
}

/** Processes one request in the image worker: reads the verified file, decodes it and encodes the result. */
async function processImage(request: DecodeRequest): Promise<ImageWorkerReply> {
  try {
    const input = await decompressSvgz({ ...request, bytes: await readVerifiedFile(request) })
    const decode = await loadDecoder(input.format)
    return { image: await encodeImage(input.format, await decode(input)) }
  } catch (error) {
    if (error instanceof MissingPackageError) return { missing: error.packageName }
    if (error instanceof Failure) return { failure: error.message }
    throw error
  }
}

/** Reads the file only if it is the one that the parent process checked. */
async function readVerifiedFile({ path, identity }: DecodeRequest): Promise<Buffer> {
  const { handle, identity: found } = await openUntrustedFile(path)
  try {
    if (!isSameFile(found, identity)) throw new Failure('was replaced while it was opened; try again')
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

async function decompressSvgz(input: DecodeInput): Promise<DecodeInput> {
  if (input.format !== 'SVGZ') return input
  const { gunzipSync } = await import('node:zlib')
  const bytes = orUndefined(() => gunzipSync(input.bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES }))
  if (bytes === undefined || detectImageFormat(bytes) !== 'SVG') throw new Failure('is gzip data, not an image')
  return { ...input, bytes, format: 'SVG' }
}

function orUndefined(work: () => Buffer): Buffer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

async function loadDecoder(format: ImageFormat): Promise<(input: DecodeInput) => Promise<DecodedImage>> {
  if (format === 'SVG') return (await import('./decode-svg.js')).decodeSvg
  if (format === 'HEIC') return (await import('./decode-heic.js')).decodeHeic
  if (format === 'PDF') return (await import('./decode-pdf.js')).decodePdf
  return (await import('./decode-raster.js')).decodeRaster
}
