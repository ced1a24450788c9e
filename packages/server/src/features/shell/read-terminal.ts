// Reads the output of a job on a terminal as its screen shows it: the new lines of a line-oriented program, or the
// whole screen with the cursor. The screen is rendered from the stored output when it is read; that of a program on the
// alternate screen is kept and continued. Loaded by job-service and by the modules here that need modes or cursor.
// Reads files only.

import { incompleteTailLength } from '../../text/utf8.js'
import type { JobRecord } from './job-record.js'
import type { Job } from './job.js'
import { createOutputRenderer } from './output-renderer.js'
import { type OutputPart, READ_CHUNK_BYTES, readFrom } from './read-job-output.js'
import {
  openTerminalScreen,
  type ScreenCursor,
  type ScreenRow,
  type ScreenRows,
  type TerminalScreen,
} from './terminal-screen.js'
import { DEFAULT_SIZE, type TerminalSize } from './terminal-size.js'

/** Output before the new one that is interpreted too, for what it left on the screen. */
const CONTEXT_BYTES = 16 * 1024
const SCREEN_CONTEXT_BYTES = 256 * 1024
/** Of a program on the alternate screen, which may have drawn parts of it long ago. Less than a second. */
const MAX_REPLAYED_BYTES = 16 * 1024 * 1024
/** More new output than this is read as lines, without a screen. */
const MAX_INTERPRETED_BYTES = 64 * 1024
const MAX_INTERPRETED_LINES = 2000
const SCROLLBACK = 4000
/** Screens that are kept for programs on the alternate screen. */
const MAX_KEPT_SCREENS = 16

export interface ScreenState extends TerminalSize {
  readonly cursor: ScreenCursor
  readonly isAlternate: boolean
}

export interface TerminalPart extends OutputPart {
  /** Set if the text is the whole screen. */
  readonly screen: ScreenState | undefined
}

export interface TerminalReadOptions {
  readonly maxCharacters: number
  /** The whole screen, also of a line-oriented program. */
  readonly full: boolean
}

export async function readTerminal(job: Job, start: number, options: TerminalReadOptions): Promise<TerminalPart> {
  const end = await job.output.size()
  const { alternateFrom } = await readModes(job, end)
  if (alternateFrom !== undefined || options.full)
    return runForJob(job, () => readScreen(job, start, end, options, alternateFrom))
  const part = await readNewLines(job, start, end, options.maxCharacters)
  return { ...part, screen: undefined }
}

export interface DrawnScreen {
  readonly size: TerminalSize
  /** Control sequences that draw the rows, from any position of the cursor. */
  readonly content: string
  readonly cursor: ScreenCursor
  /** Offset of what follows. */
  readonly next: number
}

/** A large screen with a colour for each cell is drawn without colours. */
const MAX_DRAWN_CHARACTERS = 512 * 1024

/** The alternate screen, for a display that is opened now. */
export async function drawAlternateScreen(job: Job, end: number, alternateFrom: number): Promise<DrawnScreen> {
  const next = await findSequenceStart(job, end)
  return runForJob(job, async () => {
    const screen = await renderScreen(job, next, alternateFrom)
    const { size, top } = screen
    const styled = drawRows(screen.styledRows(top))
    const content = styled.length <= MAX_DRAWN_CHARACTERS ? styled : drawRows(screen.rows(top))
    const cursor = screen.cursor()
    releaseScreen(job, screen, alternateFrom, next)
    return { size, content: content.slice(0, MAX_DRAWN_CHARACTERS), cursor, next }
  })
}

function drawRows(rows: readonly ScreenRow[]): string {
  return rows.flatMap(({ text }, row) => (text === '' ? [] : [`\u001B[${row + 1}H${text}`])).join('')
}

/** Where a control sequence or a character begins that is not complete at `end`; `end` itself if there is none. */
async function findSequenceStart(job: Job, end: number): Promise<number> {
  const start = Math.max(0, end - SEQUENCE_BYTES)
  const { from, bytes } = await job.output.read(start, end - start)
  if (from !== start) return end
  const text = bytes.toString('latin1')
  if (endsInSequence(text)) return from + text.lastIndexOf('\u001B')
  return from + bytes.length - incompleteTailLength(bytes)
}

/** The whole screen for a person: with colours as SGR sequences, if that does not make it too long. */
export async function readStyledScreen(
  job: Job,
  maxCharacters: number,
): Promise<{ readonly text: string; readonly next: number }> {
  const end = await job.output.size()
  const { alternateFrom } = await readModes(job, end)
  return runForJob(job, async () => {
    const screen = await renderScreen(job, end, alternateFrom)
    const styled = joinRows(screen.styledRows(screen.top), false)
    const isShort = styled.length <= maxCharacters
    const text = isShort ? styled : joinRows(screen.rows(screen.top), false).slice(0, maxCharacters)
    releaseScreen(job, screen, alternateFrom, end)
    return { text, next: end }
  })
}

/** The cursor after the output up to an offset. */
export async function readCursorAt(job: Job, end: number): Promise<ScreenCursor> {
  const { alternateFrom } = await readModes(job, end)
  return runForJob(job, async () => {
    const screen = await renderScreen(job, end, alternateFrom)
    const position = screen.cursor()
    screen.dispose()
    return position
  })
}

export interface TerminalModes {
  /** Where the program switched to the alternate screen; undefined if it is not on it. */
  readonly alternateFrom: number | undefined
  readonly usesApplicationCursorKeys: boolean
  /** All modes that the program has set or reset, by number, in this order. */
  readonly privateModes: ReadonlyMap<string, boolean>
}

interface ScannedModes extends TerminalModes {
  readonly scannedTo: number
  /** The last bytes, in which a sequence may begin. */
  readonly carried: string
}

// oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
const MODE_CHANGE = /\u001B(?:\[\?(?<modes>[\d;]+)(?<action>[hl])|(?<reset>c))/g
// oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
const INCOMPLETE_MODE = /^\u001B(\[(\?[\d;]*)?)?$/
const CARRIED_BYTES = 32
/** Programs use few; more are noise. */
const MAX_PRIVATE_MODES = 64
const NO_MODES: ScannedModes = {
  alternateFrom: undefined,
  usesApplicationCursorKeys: false,
  privateModes: new Map(),
  scannedTo: 0,
  carried: '',
}
const scannedModes = new WeakMap<Job, ScannedModes>()

/** Scans only what was printed since the last call. */
export async function readModes(job: Job, end: number): Promise<TerminalModes> {
  let modes = scannedModes.get(job) ?? NO_MODES
  const lastEscapeAt = job.lastEscapeAt()
  // Nothing that changes modes was printed since: it need not be read.
  if (lastEscapeAt !== undefined && lastEscapeAt < modes.scannedTo && modes.carried === '' && end > modes.scannedTo)
    modes = { ...modes, scannedTo: end }
  while (modes.scannedTo < end) {
    const { from, bytes } = await job.output.read(modes.scannedTo, READ_CHUNK_BYTES)
    if (bytes.length === 0) break
    modes = scanModes(modes, from, bytes)
  }
  scannedModes.set(job, modes)
  return modes
}

function scanModes(before: ScannedModes, from: number, bytes: Buffer): ScannedModes {
  const carried = from === before.scannedTo ? before.carried : ''
  const text = carried + bytes.toString('latin1')
  let { alternateFrom, usesApplicationCursorKeys } = before
  const privateModes = new Map(before.privateModes)
  for (const match of text.matchAll(MODE_CHANGE)) {
    const { modes = '', action, reset } = match.groups ?? {}
    const set = new Set(modes.split(';'))
    const at = from - carried.length + match.index
    if (reset !== undefined) {
      ;[alternateFrom, usesApplicationCursorKeys] = [undefined, false]
      privateModes.clear()
    }
    for (const mode of set) setPrivateMode(privateModes, mode, action === 'h')
    if (set.has('1')) usesApplicationCursorKeys = action === 'h'
    if (['47', '1047', '1049'].some((mode) => set.has(mode)))
      alternateFrom = action === 'h' ? (alternateFrom ?? at) : undefined
  }
  const rest = text.slice(-CARRIED_BYTES)
  const lastEscape = rest.lastIndexOf('\u001B')
  // A complete sequence is not carried over: it would count twice.
  const isIncomplete = lastEscape >= 0 && INCOMPLETE_MODE.test(rest.slice(lastEscape))
  return {
    alternateFrom,
    usesApplicationCursorKeys,
    privateModes,
    scannedTo: from + bytes.length,
    carried: isIncomplete ? rest.slice(lastEscape) : '',
  }
}

function setPrivateMode(modes: Map<string, boolean>, mode: string, isSet: boolean): void {
  modes.delete(mode)
  if (mode !== '' && mode.length <= 5 && modes.size < MAX_PRIVATE_MODES) modes.set(mode, isSet)
}

interface KeptScreen {
  readonly screen: TerminalScreen
  readonly alternateFrom: number
  readonly position: number
}

const keptScreens = new Map<Job, KeptScreen>()
/** The last read of a screen of each job: a kept screen is continued by one read at a time. */
const lastReads = new WeakMap<Job, Promise<unknown>>()

function runForJob<T>(job: Job, read: () => Promise<T>): Promise<T> {
  const result = (lastReads.get(job) ?? Promise.resolve()).then(read, read)
  lastReads.set(job, result)
  return result
}

async function readScreen(
  job: Job,
  start: number,
  end: number,
  { maxCharacters }: TerminalReadOptions,
  alternateFrom: number | undefined,
): Promise<TerminalPart> {
  const screen = await renderScreen(job, end, alternateFrom)
  const text = joinRows(screen.rows(screen.top), false)
  const state: ScreenState = { ...screen.size, cursor: screen.cursor(), isAlternate: screen.isAlternate }
  releaseScreen(job, screen, alternateFrom, end)
  return { ...toPart(text, maxCharacters, start, end), screen: state }
}

async function renderScreen(job: Job, end: number, alternateFrom: number | undefined): Promise<TerminalScreen> {
  const kept = keptScreens.get(job)
  keptScreens.delete(job)
  if (
    kept &&
    kept.alternateFrom === alternateFrom &&
    kept.position <= end &&
    end - kept.position < MAX_REPLAYED_BYTES
  ) {
    await feed(kept.screen, job, kept.position, end)
    return kept.screen
  }
  kept?.screen.dispose()
  const context = alternateFrom === undefined ? SCREEN_CONTEXT_BYTES : MAX_REPLAYED_BYTES
  const from = await findLineStart(job, Math.max(alternateFrom ?? 0, end - context, 0), alternateFrom ?? 0)
  const screen = await openTerminalScreen(sizeAt(job.record, from), 0)
  if (alternateFrom !== undefined && from > alternateFrom) await screen.write(Buffer.from('\u001B[?1049h'))
  await feed(screen, job, from, end)
  return screen
}

/** That of a program on the alternate screen is continued by the next read. */
function releaseScreen(job: Job, screen: TerminalScreen, alternateFrom: number | undefined, position: number): void {
  if (alternateFrom === undefined) screen.dispose()
  else keepScreen(job, { screen, alternateFrom, position })
}

function keepScreen(job: Job, kept: KeptScreen): void {
  keptScreens.set(job, kept)
  for (const [other, { screen }] of keptScreens) {
    if (keptScreens.size <= MAX_KEPT_SCREENS && other.isRunning) continue
    screen.dispose()
    keptScreens.delete(other)
  }
}

/** The first offset after a line end; `from` itself if that is where everything begins. */
export async function findLineStart(job: Job, from: number, beginning: number): Promise<number> {
  if (from <= beginning) return from
  const { from: at, bytes } = await job.output.read(from, CONTEXT_BYTES)
  const newline = bytes.indexOf('\n')
  return newline === -1 ? at : at + newline + 1
}

/** Writes a part of the output to a screen, with the changes of its size. */
async function feed(screen: TerminalScreen, job: Job, start: number, end: number): Promise<void> {
  const changes = (job.record.sizes ?? []).filter(({ from }) => from >= start && from <= end)
  let position = start
  for (const change of [...changes, undefined]) {
    const to = change ? change.from : end
    while (position < to) {
      const { from, bytes } = await job.output.read(position, Math.min(READ_CHUNK_BYTES, to - position))
      if (bytes.length === 0) break
      await screen.write(bytes)
      position = from + bytes.length
    }
    if (change) screen.resize(change)
  }
}

export function sizeAt({ sizes = [] }: JobRecord, offset: number): TerminalSize {
  return sizes.findLast(({ from }) => from <= offset) ?? sizes[0] ?? DEFAULT_SIZE
}

async function readNewLines(job: Job, start: number, end: number, maxCharacters: number): Promise<OutputPart> {
  if (end <= start) return toPart('', maxCharacters, start, end)
  if (await isLong(job, start, end)) return readFrom(job, start, { maxCharacters })
  const plain = await readPlainText(job, start, end)
  if (plain !== undefined) return toPart(plain, maxCharacters, start, end)
  const contextFrom = await findLineStart(job, Math.max(start - CONTEXT_BYTES, 0), 0)
  const screen = await openTerminalScreen(sizeAt(job.record, contextFrom), SCROLLBACK)
  await feed(screen, job, Math.min(contextFrom, start), start)
  const before = takeSnapshot(screen.isAlternate ? screen.normal : screen)
  await feed(screen, job, start, end)
  const text = findNewText(screen, before)
  screen.dispose()
  return toPart(text, maxCharacters, start, end)
}

async function isLong(job: Job, start: number, end: number): Promise<boolean> {
  if (end - start > MAX_INTERPRETED_BYTES) return true
  const { from, bytes } = await job.output.read(start, end - start)
  if (from > start) return true
  let lines = 0
  for (let at = bytes.indexOf('\n'); at !== -1; at = bytes.indexOf('\n', at + 1)) lines++
  return lines > MAX_INTERPRETED_LINES
}

/** Bytes before new output in which a control sequence may have begun. */
const SEQUENCE_BYTES = 64

/** New output that a screen would show as it is; undefined if it has to be interpreted. Much faster than a screen. */
async function readPlainText(job: Job, start: number, end: number): Promise<string | undefined> {
  const from = Math.max(start - SEQUENCE_BYTES, 0)
  const { from: readFromOffset, bytes } = await job.output.read(from, end - from)
  if (readFromOffset !== from || bytes.length !== end - from) return undefined
  const before = bytes.subarray(0, start - from)
  const after = bytes.subarray(start - from)
  const isSplit = incompleteTailLength(before) > 0 || incompleteTailLength(after) > 0
  return isSplit || endsInSequence(before.toString('latin1')) ? undefined : toPlainText(after.toString())
}

/** Whether the text ends inside a control sequence. The last ESC decides: inside a string, ESC begins its end. */
function endsInSequence(text: string): boolean {
  const last = text.lastIndexOf('\u001B')
  if (last === -1) return false
  const rest = text.slice(last + 1)
  if (/^[\]P_^X]/.test(rest)) return !rest.includes('\u0007')
  const body = rest.startsWith('[') ? rest.slice(1) : rest
  return !/[@-~]/.test(body)
}

/** Colours, and the switch by which programs ask to see what is pasted: neither changes the text. */
// oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
const WITHOUT_EFFECT = /\u001B\[(?:[\d;:]*m|\?2004[hl])/g
// oxlint-disable-next-line no-control-regex -- all but line feeds
const CONTROL = /[\0-\u0009\u000B-\u001F\u007F-\u009F]/

function toPlainText(text: string): string | undefined {
  const lines = text
    .replaceAll(WITHOUT_EFFECT, '')
    .replaceAll(/(?<!\r)\r+\n/g, '\n')
    .replaceAll(/\n\r+/g, '\n')
  return CONTROL.test(lines) ? undefined : lines
}

interface ScreenSnapshot {
  readonly top: number
  /** From the top to the cursor's row. */
  readonly rows: readonly string[]
  readonly textBeforeCursor: string
}

function takeSnapshot(screen: ScreenRows): ScreenSnapshot {
  const { top, cursorRow } = screen
  const rows = screen.rows(top).slice(0, cursorRow - top + 1)
  return { top, rows: rows.map(({ text }) => text), textBeforeCursor: screen.textBeforeCursor() }
}

/** From the first row that changed; of the row that the cursor was in, what follows it. */
function findNewText(screen: TerminalScreen, before: ScreenSnapshot): string {
  const rows = screen.rows(before.top)
  const cursorIndex = Math.max(before.rows.length - 1, 0)
  const changed = before.rows.slice(0, cursorIndex).findIndex((text, index) => rows[index]?.text !== text)
  if (changed !== -1) return joinRows(rows.slice(changed), true)
  const [first, ...rest] = rows.slice(cursorIndex)
  if (!first) return ''
  const known = before.textBeforeCursor
  const text = first.text.startsWith(known) ? first.text.slice(known.length) : first.text
  return joinRows([{ text, isWrapped: false }, ...rest], true)
}

/** Rows that continue each other are joined to a line. */
function joinRows(rows: readonly ScreenRow[], joinsWrapped: boolean): string {
  return rows
    .map(({ text, isWrapped }, index) => (index === 0 || (isWrapped && joinsWrapped) ? text : `\n${text}`))
    .join('')
}

function toPart(text: string, maxCharacters: number, start: number, end: number): OutputPart {
  const renderer = createOutputRenderer({ maxCharacters })
  renderer.write(Buffer.from(text))
  return { ...renderer.end(), bytes: Math.max(end - start, 0), next: end, droppedBytes: 0 }
}
