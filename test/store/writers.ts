// Starts processes that write to the database, and collects the acknowledged writes.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

import type { DatabaseLocation } from '@scorpiox/server/storage/open-database'
import { cleanEnv } from '../support/client.js'

const WRITER = resolve(import.meta.dirname, '../fixture/state-writer.mjs')

export interface Writer {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  /** Resolves when its output was read completely. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>
}

export interface WriterOptions {
  readonly location: DatabaseLocation
  readonly name: string
  readonly how: 'together' | 'closing' | 'forever' | 'try' | 'starve'
  readonly count?: number
  /** A command prefix, such as a sandbox. */
  readonly within?: readonly string[]
}

export function startWriter({ location, name, how, count = 40, within = [] }: WriterOptions): Writer {
  const command = [...within, process.execPath, WRITER, JSON.stringify(location), name, how, String(count)]
  const child = spawn(command[0]!, command.slice(1), { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    code: typeof code === 'number' ? code : null,
    stderr,
  }))
  return { child, lines, ended }
}

/** Task number → name, of what was acknowledged. */
export function acknowledgedTo(writer: Writer): ReadonlyMap<number, string> {
  const pairs = writer.lines.flatMap((line): [number, string][] => {
    const [, id, name] = /^(\d+) (\S+)$/.exec(line) ?? []
    return id === undefined || name === undefined ? [] : [[Number(id), name]]
  })
  return new Map(pairs)
}
