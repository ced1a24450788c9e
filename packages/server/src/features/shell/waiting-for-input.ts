// Finds the processes of a job that are blocked reading its terminal or its stdin pipe, and its terminal device, from
// /proc. Used by wait-for-input, type-into-job and terminal.ts. On other systems than Linux nothing is found. Reads
// /proc only.

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'

import { readProcFile } from '../../process/process-tags.js'

/** Numbers of system calls. */
const READ = { x64: [0, 19], arm64: [63, 65] }
const POLL = { x64: [7, 271], arm64: [73] }
const SELECT = { x64: [23, 270], arm64: [72] }
const EPOLL = { x64: [232, 281, 441], arm64: [22, 441] }
/** The device number of /dev/tty, the terminal of the process that opens it. */
const CONTROLLING_TERMINAL = 0x500
const PTS_MAJORS = { first: 136, last: 143 }
const MAX_PROCESSES = 500
const MAX_THREADS = 64
/** They wait for others, and have the terminal or the pipe as stdin. */
const WRAPPERS = new Set(['bwrap', 'unshare', 'setsid'])

/** A thread that waits for input. */
export interface InputReader {
  readonly key: string
  /** How often it has blocked so far: more than before means that it has run in between. */
  readonly switches: number
  /** It is in read(2), not in a call that waits for several things. */
  readonly isCertain: boolean
}

/** `pipe`: the identity of the FIFO that is its stdin; undefined for a terminal. */
export function findInputReaders(root: number, pipe: string | undefined): readonly InputReader[] {
  const processes = listProcesses(root).filter(({ name }) => !WRAPPERS.has(name))
  if (pipe !== undefined) {
    const isPipe = (path: string): boolean => identify(path) === pipe
    return processes.flatMap(({ pid }) => findReadersIn(pid, isPipe))
  }
  const foreground = processes.filter(
    ({ group, foregroundGroup, terminal }) => terminal !== 0 && group === foregroundGroup,
  )
  return foreground.flatMap(({ pid, terminal }) =>
    findReadersIn(pid, (path) => [terminal, CONTROLLING_TERMINAL].includes(readDevice(path) ?? -1)),
  )
}

/** Whether the process that copies the input to a terminal has copied all of it. */
export function isCopierIdle(root: number): boolean {
  return waitsForSeveral(readProcFile(`/proc/${root}/syscall`) ?? '')
}

/** The path of the terminal that the processes below `root` have. */
export function findTerminalDevice(root: number): string | undefined {
  const terminal = listProcesses(root).find(({ pid, terminal: device }) => pid !== root && device !== 0)?.terminal
  if (terminal === undefined) return undefined
  const major = (terminal >> 8) & 0xfff
  const minor = (terminal & 0xff) | ((terminal >> 12) & 0xfff00)
  if (major < PTS_MAJORS.first || major > PTS_MAJORS.last) return undefined
  return `/dev/pts/${(major - PTS_MAJORS.first) * 0x10_0000 + minor}`
}

interface JobProcess {
  readonly pid: number
  readonly name: string
  readonly group: number
  readonly terminal: number
  /** The process group that the terminal gives its input to. */
  readonly foregroundGroup: number
}

/** The process and its descendants. */
function listProcesses(root: number): readonly JobProcess[] {
  const found: JobProcess[] = []
  for (let pids = [root]; pids.length > 0 && found.length < MAX_PROCESSES;) {
    found.push(...pids.flatMap(readProcess))
    pids = pids.flatMap(listChildren)
  }
  return found
}

function readProcess(pid: number): readonly JobProcess[] {
  const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(readProcFile(`/proc/${pid}/stat`) ?? '') ?? []
  if (name === undefined || rest === undefined) return []
  const [, , group, , terminal, foregroundGroup] = rest.split(' ').map(Number)
  return [{ pid, name, group: group ?? 0, terminal: terminal ?? 0, foregroundGroup: foregroundGroup ?? -1 }]
}

function listChildren(pid: number): readonly number[] {
  return listThreads(pid).flatMap((thread) => {
    const children = readProcFile(`/proc/${pid}/task/${thread}/children`)?.trim() ?? ''
    return children === '' ? [] : children.split(' ').map(Number)
  })
}

function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).slice(0, MAX_THREADS)
  } catch {
    return []
  }
}

function findReadersIn(pid: number, isInput: (path: string) => boolean): readonly InputReader[] {
  return listThreads(pid).flatMap((thread): InputReader[] => {
    const call = readProcFile(`/proc/${pid}/task/${thread}/syscall`) ?? ''
    const isCertain = isBlockedIn(call, callNumbers(READ)) && isInput(`/proc/${pid}/fd/${argumentsOf(call)[0]}`)
    const isReading =
      isCertain ||
      (waitsForSeveral(call) && isInput(`/proc/${pid}/fd/0`) && !isShortWait(pid, call)) ||
      (isBlockedIn(call, callNumbers(EPOLL)) && watchesInput(pid, argumentsOf(call)[0], isInput))
    return isReading ? [{ key: `${pid}/${thread}`, switches: countSwitches(pid, thread), isCertain }] : []
  })
}

type CallNumbers = Readonly<Record<'x64' | 'arm64', readonly number[]>>

function callNumbers(numbers: CallNumbers): readonly number[] {
  return process.arch === 'x64' || process.arch === 'arm64' ? numbers[process.arch] : []
}

/** The file has the number of the call and its arguments, or `running`. */
function isBlockedIn(call: string, numbers: readonly number[]): boolean {
  const [number = ''] = call.split(' ', 1)
  return /^\d+$/.test(number) && numbers.includes(Number(number))
}

/** Programs that wait for the rest of a key or for an answer of the terminal look again soon. */
const SHORT_WAIT_MS = 150
const TIMESPEC_BYTES = 16

function isShortWait(pid: number, call: string): boolean {
  const [number = '', ...values] = call.split(' ')
  if (number === '7') return Number(BigInt.asIntN(32, BigInt(values[2] ?? 0))) >= 0 && Number(values[2]) < SHORT_WAIT_MS
  // ppoll has the address of its timeout third, select fifth.
  const address = BigInt(values[callNumbers(POLL).includes(Number(number)) ? 2 : 4] ?? 0)
  if (address === 0n) return false
  const timeout = readMemory(pid, address, TIMESPEC_BYTES)
  // select counts microseconds, the others nanoseconds.
  const fraction = timeout && Number(timeout.readBigInt64LE(8)) / (number === '23' ? 1e3 : 1e6)
  return fraction !== undefined && timeout?.readBigInt64LE(0) === 0n && fraction < SHORT_WAIT_MS
}

function readMemory(pid: number, address: bigint, length: number): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = openSync(`/proc/${pid}/mem`, 'r')
    const bytes = Buffer.alloc(length)
    return readSync(fd, bytes, 0, length, address) === length ? bytes : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Without descriptors, poll and select are just a pause. */
function waitsForSeveral(call: string): boolean {
  const [first, second] = argumentsOf(call)
  if (isBlockedIn(call, callNumbers(POLL))) return second !== 0
  return isBlockedIn(call, callNumbers(SELECT)) && first !== 0 && second !== 0
}

function argumentsOf(call: string): readonly [number, number] {
  const [, first, second] = call.split(' ').map(Number)
  return [first ?? NaN, second ?? NaN]
}

/** The descriptors that an epoll instance watches for reading. */
function watchesInput(pid: number, epoll: number, isInput: (path: string) => boolean): boolean {
  const watched = readProcFile(`/proc/${pid}/fdinfo/${epoll}`) ?? ''
  return [...watched.matchAll(/^tfd:\s*(\d+) events:\s*([\da-f]+)/gm)].some(
    ([, fd, events = '0']) => (Number.parseInt(events, 16) & 1) === 1 && isInput(`/proc/${pid}/fd/${fd}`),
  )
}

function countSwitches(pid: number, thread: string): number {
  const status = readProcFile(`/proc/${pid}/task/${thread}/status`) ?? ''
  return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? 0)
}

function readDevice(path: string): number | undefined {
  try {
    return statSync(path).rdev
  } catch {
    return undefined
  }
}

function identify(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
