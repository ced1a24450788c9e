// Saves everything that is kept of a job's output, or an image of a call, in a file that only the user can read. Used by
// job-pane.ts and call-pane.ts. Reads through the console; writes the file.

import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { findHomeIfAny } from '@scorpiox/server/config/home'
import { readWholeOutput } from '../read-whole-output.js'
import type { CallBlock, JobView } from '../view.js'
import { sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'

const MODE = 0o600

export function saveOutput(context: InboxContext, job: JobView): Promise<void> {
  const message = context.translator.translate('saveTo')
  return saveFile(context, { message, name: `job-${job.id}.log`, read: () => readChunks(context, job) })
}

export function saveImage(context: InboxContext, { mimeType, data }: KeptImage): Promise<void> {
  const [, extension = 'bin'] = /^image\/([a-z\d]{1,8})\b/.exec(mimeType) ?? []
  const message = context.translator.translate('saveImageTo')
  return saveFile(context, { message, name: `image.${extension}`, read: () => decodeImage(data) })
}

export interface KeptImage {
  readonly mimeType: string
  readonly data: string
}

export function listKeptImages(blocks: readonly CallBlock[]): readonly KeptImage[] {
  return blocks.flatMap((block) =>
    block.type === 'image' && block.data !== null ? [{ mimeType: block.mimeType, data: block.data }] : [],
  )
}

interface SavedFile {
  readonly message: string
  /** What is proposed. */
  readonly name: string
  readonly read: () => AsyncIterable<Buffer>
}

/** Asks for the path, and before it replaces a file. */
async function saveFile({ ui, translator }: InboxContext, { message, name, read }: SavedFile): Promise<void> {
  const { translate, formatBytes } = translator
  const typed = await ui.enterText({ message, initial: name })
  if (typed === undefined) return
  const path = toPath(typed.trim())
  let replacesFile = false
  const save = async (): Promise<string> => {
    const bytes = await withFailures(() => writeTo(path, replacesFile, read()))
    if (bytes !== 'exists') return translate('saved', { size: formatBytes(bytes), path: sanitizeLine(path) })
    replacesFile = true
    return ''
  }
  if (!(await ui.run(save)) || !replacesFile) return
  const question = translate('overwriteAsk', { path: sanitizeLine(path) })
  if (await ui.confirm(question, translate('overwrite'))) await ui.run(save)
}

function toPath(typed: string): string {
  return typed.startsWith('~/') ? join(findHomeIfAny(), typed.slice(2)) : resolve(typed)
}

function readChunks({ userConsole }: InboxContext, job: JobView): AsyncIterable<Buffer> {
  return readWholeOutput((from, maxBytes) => userConsole.readOutput(job, from, maxBytes))
}

async function* decodeImage(base64: string): AsyncIterable<Buffer> {
  yield Buffer.from(base64, 'base64')
}

/** The number of bytes written. A file is replaced when everything is written; a new one is removed if that fails. */
async function writeTo(path: string, replacesFile: boolean, chunks: AsyncIterable<Buffer>): Promise<number | 'exists'> {
  const target = replacesFile ? `${path}.${randomBytes(6).toString('hex')}` : path
  const file = await openNew(target)
  if (file === undefined) return 'exists'
  try {
    const bytes = await writeChunks(file, chunks)
    await file.close()
    if (replacesFile) await rename(target, path)
    return bytes
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(target, { force: true })
    throw error
  }
}

/** Undefined if it exists. */
async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', MODE)
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return undefined
    throw error
  }
}

async function writeChunks(file: FileHandle, chunks: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) {
    await file.writeFile(chunk)
    bytes += chunk.length
  }
  return bytes
}

async function withFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(errorMessage(error))
  }
}
