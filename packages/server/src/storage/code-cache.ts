// Reads the code cache of the program: what V8 compiled at an earlier start. V8 runs it unchecked, so it is taken only
// from a folder and a file that belong to this user alone, if it was made from the same source. Used by launch.ts of
// the app at every start, by write-code-cache.ts and by the sandbox policy. Reads one file, synchronously.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

const FOLDER_NAME = 'code-cache'
const MAX_BYTES = 16 * 1024 * 1024
const HEADER_BYTES = 16
const CHUNK_BYTES = 64 * 1024
const MAGIC = 0x53584331

/**
 * Not in STATE_DIR: settings are unknown that early, and another server could let its commands write there. The folder
 * is hidden from sandboxed commands and cannot be planted by them (sandbox-policy.ts). Undefined without a home.
 */
export function codeCacheFolder(home: string): string | undefined {
  return isAbsolute(home) ? join(home, '.scorpiox', FOLDER_NAME) : undefined
}

/**
 * One file for each program file, transport and version of Node.js: the data has the functions that a start over this
 * transport used. V8 refuses data of other flags.
 */
export function codeCachePath(home: string, programFile: string, transport: 'stdio' | 'http'): string | undefined {
  const folder = codeCacheFolder(home)
  if (folder === undefined) return undefined
  const program = encodeURIComponent(programFile).slice(-120)
  return join(folder, `${program}-${transport}-${process.version}-${process.arch}`)
}

/** The data for V8; undefined without a valid file. Never throws. */
export function readCodeCache(path: string, source: Buffer): Buffer | undefined {
  try {
    const folder = dirname(path)
    const isTrusted = [dirname(folder), folder].every((directory) => isPrivateFolder(directory))
    return isTrusted ? readPrivateFile(path, source) : undefined
  } catch {
    return undefined
  }
}

/**
 * The source itself is in the file, and the data is there twice: comparing takes a tenth of the time that loading
 * node:crypto does, and V8 crashes on damaged data.
 */
export function formatCodeCache(source: Buffer, data: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(MAGIC, 0)
  header.writeUInt32LE(source.length, 4)
  header.writeUInt32LE(data.length, 8)
  return Buffer.concat([header, source, data, data])
}

function readPrivateFile(path: string, source: Buffer): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    const isUsable = stats.isFile() && isOwn(stats, 0o077) && stats.size <= MAX_BYTES
    return isUsable ? readData(file, stats.size, source) : undefined
  } finally {
    closeSync(file)
  }
}

/** What is compared only is read through one small buffer: each page of a large one takes time, and stays resident. */
function readData(file: number, fileBytes: number, source: Buffer): Buffer | undefined {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  if (readSync(file, chunk, 0, HEADER_BYTES, 0) < HEADER_BYTES || chunk.readUInt32LE(0) !== MAGIC) return undefined
  const dataBytes = chunk.readUInt32LE(8)
  const dataAt = HEADER_BYTES + source.length
  if (chunk.readUInt32LE(4) !== source.length || fileBytes !== dataAt + 2 * dataBytes) return undefined
  if (!isContentAt(file, HEADER_BYTES, source, chunk)) return undefined
  const data = Buffer.allocUnsafeSlow(dataBytes)
  if (readSync(file, data, 0, dataBytes, dataAt) < dataBytes) return undefined
  return isContentAt(file, dataAt + dataBytes, data, chunk) ? data : undefined
}

function isContentAt(file: number, position: number, expected: Buffer, chunk: Buffer): boolean {
  for (let at = 0; at < expected.length;) {
    const count = readSync(file, chunk, 0, Math.min(chunk.length, expected.length - at), position + at)
    if (count === 0 || chunk.compare(expected, at, at + count, 0, count) !== 0) return false
    at += count
  }
  return true
}

/** A link, or a placeholder of the sandbox (with the sticky bit), is not one. */
export function isPrivateFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && isOwn(stats, 0o1022)
}

/** Windows has no such owners and permission bits. */
function isOwn(stats: Stats, forbiddenBits: number): boolean {
  return process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & forbiddenBits) === 0)
}
