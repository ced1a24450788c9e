// Entry of the image worker process, which decodes untrusted images: a hang, crash or memory leak affects only this
// process. Started by image-worker-pool; handles one image at a time, received over IPC, and exits with its parent. A
// second thread watches time and memory. Reads the image file and returns the encoded image.

import { isMainThread, parentPort, Worker } from 'node:worker_threads'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { isSameFile, openUntrustedFile } from '../../../storage/untrusted-file.js'
import { detectImageFormat, type ImageFormat } from '../image-format.js'
import {
  type DecodeBudget,
  decodeBudgetFor,
  type DecodeRequest,
  type ImageResult,
  type OptionalPackage,
} from '../image-types.js'
import type { DecodedImage, DecodeInput } from './decoded-image.js'
import { encodeImage } from './encoder.js'
import { MissingPackageError } from './image-libraries.js'

if (isMainThread) serveRequests()
else runWatchdog()

function serveRequests(): void {
  // The last argument is this script, both with a runtime and with the standalone executable.
  const watchdog = new Worker(process.argv.at(-1) ?? '')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const setBudget = (budget?: DecodeBudget): void => watchdog.postMessage(budget)
  // SIGKILL, because a normal exit would wait for threads of a decoder.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.on('message', (request: unknown) => {
    if (!isDecodeRequest(request)) return
    setBudget(decodeBudgetFor(request.format))
    void processImage(request)
      .catch((error: unknown) => ({ failure: `could not be decoded (${errorMessage(error)})` }))
      .then((result) => {
        setBudget()
        process.send?.({ ...result, residentBytes: process.memoryUsage.rss() })
      })
  })
}

function isDecodeRequest(value: unknown): value is DecodeRequest {
  return isJsonObject(value) && typeof value.path === 'string'
}

const CHECK_INTERVAL_MS = 20
/** The parent kills the worker at the time limit; this is the fallback if the parent is gone. */
const GRACE_MS = 2000

/**
 * Watchdog thread of the image worker: kills the process if an image exceeds its time or memory budget, or if the
 * parent has exited. SIGTERM means the memory budget. Receives the budget when an image starts and undefined when it is
 * done.
 */
function runWatchdog(): void {
  const { ppid } = process
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', (budget: DecodeBudget | undefined) => {
    clearInterval(timer)
    if (!budget) return
    const endsAt = Date.now() + budget.ms + GRACE_MS
    timer = setInterval(() => {
      if (process.memoryUsage.rss() > budget.residentBytes) killSelf('SIGTERM')
      else if (Date.now() > endsAt || process.ppid !== ppid) killSelf('SIGKILL')
    }, CHECK_INTERVAL_MS)
  })
}

function killSelf(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}

type ProcessResult =
  | { readonly image: ImageResult }
  | { readonly failure: string }
  | { readonly missing: OptionalPackage }

/** Processes one request in the image worker: reads the verified file, decodes it and encodes the result. */
async function processImage(request: DecodeRequest): Promise<ProcessResult> {
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
