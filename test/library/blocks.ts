// The code blocks of a documentation page, and a directory in which they work as they would for a reader.

import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { emptyFolder } from '../support/client.js'

export const ROOT = resolve(import.meta.dirname, '../..')

export interface CodeBlock {
  readonly language: string
  /** Its file name, after the language: ```js server.mjs */
  readonly file: string | undefined
  readonly code: string
  /** Its line, for messages. */
  readonly line: number
}

/** `page`: a path below the repository, or an absolute one. */
export function blocksOf(page: string): CodeBlock[] {
  const text = readFileSync(resolve(ROOT, page), 'utf8')
  const found = text.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)
  return [...found].map(({ index, 1: language = '', 2: file, 3: code = '' }) => ({
    language,
    file,
    code,
    line: text.slice(0, index).split('\n').length,
  }))
}

/** An empty folder after `npm install @scorpiox/mcp scorpiox-code`. */
export function readersFolder(): string {
  const folder = emptyFolder()
  for (const [name, target] of [
    ['@scorpiox/mcp', join(ROOT, 'packages/mcp')],
    ['scorpiox-code', ROOT],
    ['@types/node', join(ROOT, 'node_modules/@types/node')],
  ] as const) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link, 'dir')
  }
  return folder
}
