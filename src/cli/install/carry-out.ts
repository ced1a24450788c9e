// Shows what would be done, asks the person, does it, and says how each part went. Without a terminal nothing is changed
// except with `--yes`.

import { join, sep } from 'node:path'

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { Flags } from '../args.js'
import { wrapText } from '../layout.js'
import { outputColumns, print, printText, type Streams } from '../terminal.js'
import { askScope, confirmWithDefaultNo, promptStreams } from './prompts.js'
import type { Line } from './shown-change.js'

export interface Step {
  /** Whom it is about. */
  readonly title: string
  readonly place: string
  readonly lines: readonly Line[]
  /** What there is to know about it. */
  readonly note: string | undefined
  /** Text to paste, printed as it is below the note. */
  readonly snippet?: string
  /** Sentences printed below the lines. */
  readonly notes?: readonly string[]
  /** Whether it should be done and cannot be. */
  readonly isStuck: boolean
  /** Gives what to say when it is done; throws a Failure that says why it is not. Absent where nothing is to be done. */
  readonly perform?: () => string
}

export interface Undertaking {
  /** Done first, and only if anything is done at all. */
  readonly first?: Step
  readonly steps: readonly Step[]
  /** Done last, if every step was. */
  readonly last?: Step
  /** Printed below the steps, whatever is done. */
  readonly notice?: string
  /** Said at the end when something was done. */
  readonly closing: string
}

/** The exit code of a command whose question was left without an answer. */
export const INTERRUPTED = 130

/** Gives the exit code. */
export async function carryOut(undertaking: Undertaking, flags: Flags, config: Config): Promise<number> {
  const { first, steps, last, notice } = undertaking
  const { childEnv: env, home } = config
  const every = [first, ...steps, last].filter((step) => step !== undefined)
  const streams = promptStreams(env)
  const colours = streams !== undefined && (env.NO_COLOR ?? '') === ''
  await print(paragraphs(every.map((step) => shown(step, home, colours))))
  if (notice !== undefined) await printText(`\n${notice}`)
  const isStuck = every.some((step) => step.isStuck)
  const open = every.filter(({ perform }) => perform !== undefined)
  if (open.length === 0) return isStuck ? 1 : 0
  const chosen = await choose(undertaking, open, flags, streams, home)
  if (!('steps' in chosen)) {
    await printNothingChanged(chosen.because)
    return isStuck ? 1 : chosen.exitCode
  }
  if (chosen.steps.length === 0) await printNothingChanged('.')
  const isDone = await performAll(chosen.steps, undertaking)
  if (isDone && chosen.steps.length > 0) await printText(undertaking.closing)
  return isDone && !isStuck ? 0 : 1
}

export async function printNothingChanged(because: string): Promise<void> {
  await printText(`\nNothing was changed${because}\n`)
}

type Choice = { readonly steps: readonly Step[] } | { readonly because: string; readonly exitCode: number }

async function choose(
  undertaking: Undertaking,
  open: readonly Step[],
  flags: Flags,
  streams: Streams | undefined,
  home: string,
): Promise<Choice> {
  if (flags['dry-run']) return { because: ' (--dry-run).', exitCode: 0 }
  if (flags.yes) return { steps: open }
  if (streams === undefined) {
    return { because: ': not a terminal. Add --yes to make these changes without confirmation.', exitCode: 1 }
  }
  const scope = await askScope(streams, open.length)
  if (scope === 'none') return { because: '.', exitCode: 0 }
  const steps = scope === 'each' ? await askEach(undertaking, streams, home) : open
  return scope === undefined || steps === undefined ? { because: '.', exitCode: INTERRUPTED } : { steps }
}

/** Without the first nothing else is of use, and while a step is undone the last would take away what it needs. */
async function performAll(steps: readonly Step[], { first, last }: Undertaking): Promise<boolean> {
  let isDone = true
  if (steps.length > 0) await print('\n')
  for (const step of steps) {
    if (step === last && !isDone) break
    try {
      await printText(`✓ ${step.title}: ${step.perform?.() ?? ''}\n`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      isDone = false
      await printText(`✗ ${step.title}: ${error.message}\n`)
      if (step === first) break
    }
  }
  return isDone
}

async function askEach(
  { first, steps, last }: Undertaking,
  streams: Streams,
  home: string,
): Promise<readonly Step[] | undefined> {
  const open = steps.filter(({ perform }) => perform !== undefined)
  const chosen: Step[] = []
  for (const step of open) {
    const answer = await confirmWithDefaultNo(streams, `${step.title}, ${shortened(step.place, home)}?`)
    if (answer === undefined) return undefined
    if (answer) chosen.push(step)
  }
  const isAll = chosen.length === open.length
  const before = first?.perform && chosen.length > 0 ? [first] : []
  return [...before, ...chosen, ...(last?.perform && isAll ? [last] : [])]
}

/** An empty line stands between them, unless both are a line. */
function paragraphs(texts: readonly string[]): string {
  return texts.map((text, at) => (at > 0 && !(isLine(text) && isLine(texts[at - 1])) ? '\n' : '') + text).join('')
}

function isLine(text: string | undefined): boolean {
  return text?.indexOf('\n') === text?.lastIndexOf('\n')
}

/** Sentences are wrapped, what is shown of a file is not. */
function shown({ title, place, lines, note, snippet, notes = [], isStuck }: Step, home: string, colours: boolean) {
  const said = note === undefined ? '' : `: ${note}`
  const columns = outputColumns()
  const head = wrapText(`${isStuck ? '✗ ' : ''}${title}  ${shortened(place, home)}${said}\n`, columns)
  const pasted = snippet === undefined ? '' : `${snippet.replace(/^/gm, '    ')}\n`
  const changed = lines.map((line) => `${coloured(line, colours)}\n`).join('')
  return head + pasted + changed + notes.map((sentence) => wrapText(`  ${sentence}\n`, columns)).join('')
}

function shortened(place: string, home: string): string {
  return place.startsWith(join(home, sep)) ? `~${place.slice(home.length)}` : place
}

function coloured({ mark, text }: Line, colours: boolean): string {
  const line = `  ${mark} ${text}`
  if (!colours || mark === ' ') return line
  return `\u001B[${mark === '+' ? 32 : 31}m${line}\u001B[39m`
}
