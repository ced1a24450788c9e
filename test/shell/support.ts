// What the tests of the shell share: a tool as a client calls it, and what it says.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect } from 'vitest'

import { dataOf, isAlive, type Json, type TestClient } from '../support.js'

export interface Said {
  readonly text: string
  readonly isError: boolean
  readonly structured: Json
  readonly content: readonly Json[]
}

export async function call(client: TestClient, name: string, args: object = {}, meta?: object): Promise<Said> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) }
  return saidBy(await client.request('tools/call', params))
}

export function saidBy({ result, error }: Json): Said {
  if (error !== undefined) throw new Error(`the call was answered with an error: ${JSON.stringify(error)}`)
  const { content, isError } = result
  return { text: content[0].text, isError, structured: dataOf(result), content }
}

/** The job that was started. */
export async function startJob(client: TestClient, command: string): Promise<number> {
  const { structured, text } = await call(client, 'BackgroundBash', { command })
  if (structured === undefined) throw new Error(text)
  return structured.task_id
}

export const readJob = (client: TestClient, id: number, more: object = {}): Promise<Said> =>
  call(client, 'ReadBgOutput', { task_id: id, ...more })

/** Without the notes in brackets that follow an output. */
export function outputOf({ text }: Said): string {
  return text.replace(/(^|\n)(\[[^\n]*\]\n?)+$/, '$1')
}

/** The number that a command leaves in a file. */
export async function pidIn(path: string): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
    await sleep(20)
  }
  throw new Error(`nothing came to be at ${path}`)
}

export async function gone(...pids: readonly number[]): Promise<void> {
  for (let tries = 0; tries < 500 && pids.some(isAlive); tries++) await sleep(20)
  expect(pids.filter(isAlive)).toEqual([])
}

/** Kills without a word, and waits for the end. */
export async function killHard({ child }: TestClient): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}

/** Bytes of all files below a folder. */
export function bytesBelow(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.reduce((sum, name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (stat?.isDirectory() ? bytesBelow(join(folder, name)) : (stat?.size ?? 0))
  }, 0)
}
