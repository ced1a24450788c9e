// The service behind ReadImage: opens the file, checks its real path against the path policy, detects the format and
// decodes it in a worker process. openImageReader builds it from the settings and is called by services.ts of the app.
// Reads files and starts processes (image-worker-pool).

import { opendir, readlink } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import { expandPath, isHomePath, realPathOrSame, splitList, toNativePath } from '../../config/paths.js'
import { createWorkerEnvironment } from '../../process/worker-processes.js'
import { createSandboxPolicy } from '../../sandbox/sandbox-policy.js'
import { type OpenedFile, openUntrustedFile } from '../../storage/untrusted-file.js'
import { toSingleLine } from '../../text/format.js'
import { isInsideDirectory } from '../../files/path-containment.js'
import { describeFileContent, detectImageFormat, DETECTION_BYTES } from './image-format.js'
import { type DecodeRequest, type ImageRequest, type ImageResult, MAX_FILE_BYTES } from './image-types.js'
import { createImageWorkerPool, type ImageWorkerPool } from './image-worker-pool.js'
import { installHintFor, readOriginalFile } from './missing-decoder.js'

export interface ImageReader {
  read(request: ImageRequest, user: string, signal: AbortSignal): Promise<ImageResult>
  close(): void
}

/** Relative paths are resolved against `directory`. */
function createImageReader(directory: string, policy: PathPolicy, workers: ImageWorkerPool): ImageReader {
  async function readFile(request: ImageRequest, user: string, signal: AbortSignal): Promise<ImageResult> {
    const file = await openByName(request.path).catch((error: unknown) => hideForbiddenPath(error, request.path))
    try {
      assertPathAllowed(policy, file.realPath)
      const decodeRequest = await createDecodeRequest(request, file)
      const reply = await workers.decode(decodeRequest, user, signal)
      if ('image' in reply) return reply.image
      if ('failure' in reply) throw new Failure(reply.failure)
      if (reply.missing === 'sharp') return await readOriginalFile(decodeRequest, file)
      throw new Failure(installHintFor(reply.missing))
    } finally {
      await file.handle.close()
    }
  }

  /** Does not reveal whether a path outside the allowed roots exists. */
  async function hideForbiddenPath(error: unknown, path: string): Promise<never> {
    if (policy.allowedRoots !== undefined) assertPathAllowed(policy, await resolveLinks(path))
    throw error
  }

  return {
    async read(request, user, signal) {
      checkPath(request.path)
      // Not normalized, because the system resolves `..` after a link differently.
      const given = toNativePath(request.path)
      const path = isAbsolute(given) ? given : `${directory}${sep}${given}`
      try {
        return await readFile({ ...request, path }, user, signal)
      } catch (error) {
        throw error instanceof Failure ? new Failure(`${toSingleLine(path, 300)} ${error.message}.`) : error
      }
    },
    close: () => workers.close(),
  }
}

async function openByName(path: string): Promise<OpenedFile> {
  try {
    return await openUntrustedFile(path)
  } catch (error) {
    const sameLookingPath = await findSameLookingFile(path)
    if (sameLookingPath === undefined || sameLookingPath === path) throw error
    return openUntrustedFile(sameLookingPath)
  }
}

async function createDecodeRequest(
  request: ImageRequest,
  { handle, realPath, size, identity }: OpenedFile,
): Promise<DecodeRequest> {
  // Also virtual files, such as those in /proc, which have no size.
  if (size === 0) throw new Failure('is empty')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(DETECTION_BYTES), 0, DETECTION_BYTES, 0)
  const head = buffer.subarray(0, bytesRead)
  const format = detectImageFormat(head)
  if (format === undefined)
    throw new Failure(`is ${describeFileContent(head)}, not an image that can be shown; ${SUPPORTED_FORMATS}`)
  if (size > MAX_FILE_BYTES)
    throw new Failure(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB; make a smaller copy of it`)
  return { ...request, path: realPath, identity, format }
}

const SUPPORTED_FORMATS = 'supported are PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, HEIC and PDF'

function checkPath(path: string): void {
  if (path === '') throw new Failure('file_path is empty: pass the path of an image file.')
  const quoted = JSON.stringify(toSingleLine(path, 100))
  if (/^(https?|data|ftp):/i.test(path))
    throw new Failure(
      `ReadImage reads files, and ${quoted} is a URL: save it to a file first, for example with curl -o.`,
    )
  if (/^file:/i.test(path)) throw new Failure(`file_path must be a path, not a URL: remove file:// from ${quoted}.`)
  if (isHomePath(path)) throw new Failure(`~ is not expanded: use the absolute path instead of ${quoted}.`)
  if (path.includes('\0')) throw new Failure('file_path contains a NUL character: remove it.')
}

/** Bounds the time for large directories. */
const MAX_NAMES = 10_000

/**
 * Finds a file whose name looks the same as a missing one. macOS uses special spaces in the names of screenshots, and
 * some systems store é as two characters, but a model types plain ones. Undefined if no name or several names look the
 * same.
 */
async function findSameLookingFile(path: string): Promise<string | undefined> {
  // A path that ends in a slash names a directory.
  if (!path.endsWith(basename(path))) return undefined
  const normalized = normalizeName(basename(path))
  const matches: string[] = []
  try {
    let count = 0
    for await (const { name } of await opendir(dirname(path))) {
      if (++count > MAX_NAMES) return undefined
      if (normalizeName(name) === normalized) matches.push(name)
    }
  } catch {
    return undefined
  }
  const [name, second] = matches
  return name === undefined || second !== undefined ? undefined : join(dirname(path), name)
}

function normalizeName(name: string): string {
  return name.normalize('NFC').replaceAll(/\s/gu, ' ')
}

/**
 * Creates the service behind ReadImage from the settings: path policy, worker script and environment. `isSandboxed`:
 * commands cannot read all files, so ReadImage must not either.
 */
export function openImageReader(
  config: Config,
  isSandboxed: boolean,
  workers: ImageWorkerPool = openImageWorkers(config),
): ImageReader {
  return createImageReader(config.cwd, createPathPolicy(config, isSandboxed), workers)
}

export function openImageWorkers({ partsDir, childEnv }: Config): ImageWorkerPool {
  return createImageWorkerPool(join(partsDir, 'image-worker.js'), createWorkerEnvironment(childEnv))
}

function createPathPolicy(config: Config, isSandboxed: boolean): PathPolicy {
  const { settings, cwd } = config
  const configuredRoots = splitList(settings.READIMAGE_ROOTS).map((path) => expandPath(path, config))
  const hiddenPaths = isSandboxed ? createSandboxPolicy(config, []).hidden : []
  if (configuredRoots.length > 0) return { allowedRoots: configuredRoots, hiddenPaths }
  return { allowedRoots: isSandboxed ? [cwd] : undefined, hiddenPaths }
}

interface PathPolicy {
  /** Undefined allows all paths. */
  readonly allowedRoots: readonly string[] | undefined
  /** Not readable even within the roots, except for roots inside of them. */
  readonly hiddenPaths: readonly string[]
}

/** Decides which paths may be read, by the real path of the opened file, so that links cannot lead elsewhere. */
function assertPathAllowed({ allowedRoots: roots, hiddenPaths }: PathPolicy, realPath: string): void {
  if (roots === undefined) return
  const allowedRoots = roots.map(realPathOrSame)
  const isInHiddenPath = hiddenPaths
    .map(realPathOrSame)
    .some(
      (hiddenPath) =>
        isInsideDirectory(realPath, hiddenPath) &&
        !allowedRoots.some((root) => isInsideDirectory(root, hiddenPath) && isInsideDirectory(realPath, root)),
    )
  if (isInHiddenPath) throw new Failure('is hidden from commands and from ReadImage')
  if (allowedRoots.some((root) => isInsideDirectory(realPath, root))) return
  const allowed = roots.length === 1 ? `${roots[0]}` : roots.join(', ')
  throw new Failure(`is outside the directories that ReadImage may read: ${allowed} (READIMAGE_ROOTS)`)
}

/** As in the operating system. */
const MAX_LINKS = 40

/**
 * Resolves the symbolic links of a path even if the file does not exist, so that a forbidden path can be refused
 * without revealing whether it exists.
 */
async function resolveLinks(path: string): Promise<string> {
  let resolved = parse(path).root
  let followed = 0
  const remaining = path.slice(resolved.length).split(sep)
  for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
    const next = name === '..' ? dirname(resolved) : join(resolved, name)
    const target = followed < MAX_LINKS ? await readlink(next).catch(() => undefined) : undefined
    if (target === undefined || name === '' || name === '.' || name === '..') {
      resolved = next
      continue
    }
    followed++
    if (isAbsolute(target)) resolved = parse(target).root
    remaining.unshift(...target.split(sep))
  }
  return resolved
}
