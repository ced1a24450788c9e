// Raises shells ahead of time from a process of a few megabytes: Node would fork itself for each, and that takes longer
// the more it holds. Each shell is given its one command through a pipe and answers through another: pipes with a name,
// because those that Node makes are sockets, and nobody can open /dev/stdout on a socket.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { hasCode } from '../lib/error-code.js'
import { promised } from '../lib/promised.js'
import { quotedWord } from '../lib/shell-word.js'
import { READ_COMMAND } from './command-reader.js'
import { makePlace, removePlace } from './nursery-place.js'
import { createWard, type Names, type Nursling, type Ward } from './nursling.js'
import RECORDER from './output-recorder.sh?raw'
import { startHelper } from './process.js'
import SUPERVISOR from './shell-supervisor.sh?raw'
import { watchShells } from './shell-watchdog.js'

const BATCH = 32
const FEW = 8
/** How long a shell that was asked for may take to come up when the nursery is gone. */
const GRACE_MS = 1000
/** A shell reads from a pipe byte by byte; what is longer is put in a file. */
const MAX_PIPED_BYTES = 4096

export interface Nursery {
  readonly isOpen: boolean
  /** A shell for one command. Rejects where none can be made; `code` is the system's where it gave one. */
  raise(nature?: Nature): Promise<Nursling>
  /** The processes that lead the shells there are. */
  leaders(): ReadonlySet<number>
  /** What runs goes on; there will be no new ones. */
  close(): void
  /** Takes its files away, which those that run do not need. */
  remove(): void
}

/** What is special about a shell. */
export interface Nature {
  /** The command, where it is known from the beginning and too long for a pipe. */
  readonly command?: string | undefined
  /** What it reads from stdin; nothing unless told. */
  readonly input?: string | undefined
  /** A program and its arguments to start the shell under, and the file it wants to find open as fd 9. */
  readonly cage?: { readonly argv: readonly string[]; readonly filter: string; readonly bash: string } | undefined
  /** Files into which it writes 0 first, and words for the shell itself before it takes its command. */
  readonly limits?: readonly string[] | undefined
  readonly prelude?: string | undefined
  /** Its output is written to a folder by a process of its own, and its exit status to a file. */
  readonly record?: Recording | undefined
}

export interface Recording {
  readonly folder: string
  readonly segmentBytes: number
  readonly segments: number
  readonly statusFile: string
}

export interface NurserySettings {
  readonly bash: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The tags of every command, to which its number is added. */
  readonly tags: string
  /** What all of them have in common. */
  readonly family: string
  /** Commands go on when the server is gone. */
  readonly outlive: boolean
}

export function fitsPipe(command: string): boolean {
  return Buffer.byteLength(command) <= MAX_PIPED_BYTES
}

/** undefined: this system has not what it takes. Rejects where the system refuses, with its `code`. */
export async function openNursery(settings: NurserySettings): Promise<Nursery | undefined> {
  if (process.platform !== 'linux') return undefined
  const { bash, cwd, env, tags, family, outlive } = settings
  const place = makePlace(family)
  const remove = (): void => removePlace(place)
  const wards = new Map<number, Ward>()
  const pipes = createSupply((from, to) => helper.tell(`pipes ${from} ${to}\n`))
  let isOpen = true

  function forget(ward: Ward): void {
    wards.delete(ward.number)
    ward.onExit(undefined)
    ward.onClosed()
  }

  function hear(report: string): void {
    const [what, number, value, supervisor] = report.split(' ')
    const ward = wards.get(Number(number))
    if (what === 'pipes') pipes.made(Number(value))
    else if (what === 'up') ward?.onUp(Number(value), Number(supervisor))
    else if (what === 'exit') ward?.onExit(Number(value))
    else ward?.onClosed()
    if (ward?.isOver && ward.isClosed) wards.delete(ward.number)
  }

  const args = supervisorArguments(place, [place, tags, family, outlive ? '1' : ''])
  const helper = await startHelper(bash, args, { cwd, env, onLine: hear }).catch((error: unknown) => {
    remove()
    throw error
  })
  const stopWatching = watchShells(wards, helper.pid, (ward) => {
    // A supervisor that did not start this shell will not start the next either.
    if (ward.pid === undefined) close()
    forget(ward)
  })
  // Shells have a nurse each, who goes on reporting; those that do not come up now never had one.
  void helper.exited.then(async () => {
    isOpen = false
    pipes.exhausted()
    await sleep(GRACE_MS, undefined, { ref: false })
    for (const ward of wards.values()) if (ward.pid === undefined) forget(ward)
  })
  void helper.silent.then(() => {
    stopWatching()
    for (const ward of wards.values()) forget(ward)
    remove()
  })

  function close(): void {
    isOpen = false
    pipes.exhausted()
    helper.tell('leave\n')
    helper.hangUp()
  }

  if (!(await pipes.ready)) return undefined
  return {
    get isOpen() {
      return isOpen
    },
    leaders: () => new Set([...wards.values()].flatMap(({ pid }) => pid ?? [])),
    async raise(nature = {}) {
      const number = await pipes.next()
      if (number === undefined || !isOpen) throw new Error('no shell could be made ready')
      try {
        const { note, names } = prepare(join(place, String(number)), nature)
        const ward = createWard(number, names)
        wards.set(number, ward)
        helper.tell(`shell ${number} ${note}\n`)
        return ward
      } catch (error) {
        // Somebody who tidied up among temporary files took the pipes away: they will not come back.
        if (hasCode(error, 'ENOENT')) close()
        throw error
      }
    },
    close,
    remove,
  }
}

/**
 * The scripts are files, so that the process list shows a name and not their text. -p: without the start-up files of
 * the user, which the commands themselves read.
 */
function supervisorArguments(place: string, args: readonly string[]): readonly string[] {
  const script = join(place, 'shell-supervisor.sh')
  writeFileSync(script, SUPERVISOR, { mode: 0o600 })
  writeFileSync(join(place, 'output-recorder.sh'), RECORDER, { mode: 0o600 })
  writeFileSync(join(place, 'read-command.sh'), READ_COMMAND, { mode: 0o600 })
  // Sourced, it is read whole: bash reads a script it is given as it runs it, and the file may be deleted or replaced.
  return ['-p', '-c', '. "$0"', script, ...args]
}

interface Supply {
  /** Whether the first are there, once that is known. */
  readonly ready: Promise<boolean>
  next(): number | undefined | Promise<number | undefined>
  made(below: number): void
  exhausted(): void
}

/** Numbers whose pipes are there; more are ordered before the last is used. */
function createSupply(order: (from: number, to: number) => void): Supply {
  const waiting: { readonly number: number; readonly resolve: (number: number | undefined) => void }[] = []
  let given = 0
  let made = 0
  let ordered = BATCH
  let isExhausted = false
  const first = promised<boolean>()
  return {
    ready: first.promise,
    next() {
      if (isExhausted) return undefined
      const number = given++
      if (number + FEW >= ordered) {
        order(ordered, ordered + BATCH)
        ordered += BATCH
      }
      return number < made ? number : new Promise((resolve) => waiting.push({ number, resolve }))
    },
    made(below) {
      made = below
      first.resolve(true)
      for (let next = waiting[0]; next && next.number < below; next = waiting[0]) {
        waiting.shift()
        next.resolve(next.number)
      }
    },
    exhausted() {
      isExhausted = true
      first.resolve(false)
      for (const { resolve } of waiting.splice(0)) resolve(undefined)
    },
  }
}

/** Puts the files of a shell beside its pipes. */
function prepare(base: string, nature: Nature): { readonly note: string; readonly names: Names } {
  const { command, input, record } = nature
  const words = noteOf(base, nature)
  const files: [string, string][] = [
    [`${base}.c`, command === undefined ? '' : `${command}\0`],
    [`${base}.s`, input ?? ''],
    [`${base}.n`, words],
  ]
  const written = files.filter(([, text]) => text !== '')
  for (const [path, text] of written) writeFileSync(path, text, { mode: 0o600 })
  return {
    note: words === '' ? '' : `${base}.n`,
    names: {
      input: command === undefined ? `${base}.i` : undefined,
      output: record ? undefined : `${base}.o`,
      all: [`${base}.i`, `${base}.o`, ...written.map(([path]) => path)],
    },
  }
}

/** What the nurse must know, in the words of a shell; empty for a plain one. */
function noteOf(base: string, { command, input = '', cage, limits = [], prelude = '', record }: Nature): string {
  return [
    command === undefined ? [] : [`long=1`],
    input === '' ? [] : [`input=${quotedWord(`${base}.s`)}`],
    cage ? [`cage=(${quotedWords(cage.argv)}) filter=${quotedWord(cage.filter)} bash=${quotedWord(cage.bash)}`] : [],
    limits.length === 0 ? [] : [`limits=(${quotedWords(limits)})`],
    prelude === '' ? [] : [`prelude=${quotedWord(prelude)}`],
    record
      ? [
          `status=${quotedWord(record.statusFile)}`,
          `record=(${quotedWords([record.folder, String(record.segmentBytes), String(record.segments)])})`,
        ]
      : [],
  ]
    .flat()
    .join('\n')
}

function quotedWords(words: readonly string[]): string {
  return words.map(quotedWord).join(' ')
}
