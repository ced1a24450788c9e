// Shows the planned changes, asks for confirmation, applies them, and prints the result of each. Without a terminal,
// changes are applied only with `--yes`.

import { join, sep } from 'node:path'

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { Flags } from '../args.js'
import { wrapText } from '../layout.js'
import { outputColumns, print, printText, type Streams } from '../terminal.js'
import { askScope, confirmWithDefaultNo, promptStreams } from './prompts.js'
import type { Line } from './shown-change.js'

export interface Step {
  /** The client or program that is changed. */
  readonly title: string
  readonly place: string
  readonly lines: readonly Line[]
  /** Text after the title. */
  readonly note: string | undefined
  /** Text to paste, printed unchanged below the note. */
  readonly snippet?: string
  /** Sentences printed below the lines. */
  readonly notes?: readonly string[]
  /** Whether the change is needed but cannot be made. */
  readonly isStuck: boolean
  /** Applies the change and returns the text to print; throws a Failure. Absent if there is nothing to do. */
  readonly perform?: () => string
}

export interface Undertaking {
  /** Applied first, and only if another change is applied. */
  readonly first?: Step
  readonly steps: readonly Step[]
  /** Applied last, if all others were applied. */
  readonly last?: Step
  /** Always printed below the changes. */
  readonly notice?: string
  /** Printed at the end if something was changed. */
  readonly closing: string
}

/** Exit code if a question was cancelled. */
export const INTERRUPTED = 130

/** Returns the exit code. */
export async function carryOut(changeSet: Undertaking, flags: Flags, config: Config): Promise<number> {
  const { first, steps, last, notice } = changeSet
  const { childEnv: env, home } = config
  const allSteps = [first, ...steps, last].filter((step) => step !== undefined)
  const streams = promptStreams(env)
  const useColours = streams !== undefined && (env.NO_COLOR ?? '') === ''
  await print(joinParagraphs(allSteps.map((step) => formatChange(step, home, useColours))))
  if (notice !== undefined) await printText(`\n${notice}`)
  const isBlocked = allSteps.some((step) => step.isStuck)
  const pending = allSteps.filter(({ perform }) => perform !== undefined)
  if (pending.length === 0) return isBlocked ? 1 : 0
  const confirmed = await confirmChanges(changeSet, pending, flags, streams, home)
  if (!('steps' in confirmed)) {
    await printNothingChanged(confirmed.because)
    return isBlocked ? 1 : confirmed.exitCode
  }
  if (confirmed.steps.length === 0) await printNothingChanged('.')
  const succeeded = await applyAll(confirmed.steps, changeSet)
  if (succeeded && confirmed.steps.length > 0) await printText(changeSet.closing)
  return succeeded && !isBlocked ? 0 : 1
}

export async function printNothingChanged(reason: string): Promise<void> {
  await printText(`\nNo changes made${reason}\n`)
}

type ConfirmedChanges = { readonly steps: readonly Step[] } | { readonly because: string; readonly exitCode: number }

async function confirmChanges(
  changeSet: Undertaking,
  pending: readonly Step[],
  flags: Flags,
  streams: Streams | undefined,
  home: string,
): Promise<ConfirmedChanges> {
  if (flags['dry-run']) return { because: ' (--dry-run).', exitCode: 0 }
  if (flags.yes) return { steps: pending }
  if (streams === undefined) {
    return { because: ': not a terminal. Add --yes to make these changes without confirmation.', exitCode: 1 }
  }
  const scope = await askScope(streams, pending.length)
  if (scope === 'none') return { because: '.', exitCode: 0 }
  const steps = scope === 'each' ? await askEach(changeSet, streams, home) : pending
  return scope === undefined || steps === undefined ? { because: '.', exitCode: INTERRUPTED } : { steps }
}

/** Stops if the first change fails. Skips the last one after any failure, because it would remove what another still needs. */
async function applyAll(steps: readonly Step[], { first, last }: Undertaking): Promise<boolean> {
  let succeeded = true
  if (steps.length > 0) await print('\n')
  for (const step of steps) {
    if (step === last && !succeeded) break
    try {
      await printText(`✓ ${step.title}: ${step.perform?.() ?? ''}\n`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      succeeded = false
      await printText(`✗ ${step.title}: ${error.message}\n`)
      if (step === first) break
    }
  }
  return succeeded
}

async function askEach(
  { first, steps, last }: Undertaking,
  streams: Streams,
  home: string,
): Promise<readonly Step[] | undefined> {
  const pending = steps.filter(({ perform }) => perform !== undefined)
  const confirmed: Step[] = []
  for (const step of pending) {
    const answer = await confirmWithDefaultNo(streams, `${step.title}, ${shortenHome(step.place, home)}?`)
    if (answer === undefined) return undefined
    if (answer) confirmed.push(step)
  }
  const isAll = confirmed.length === pending.length
  const before = first?.perform && confirmed.length > 0 ? [first] : []
  return [...before, ...confirmed, ...(last?.perform && isAll ? [last] : [])]
}

/** Separates the texts by an empty line, except where both are single lines. */
function joinParagraphs(texts: readonly string[]): string {
  return texts
    .map((text, at) => (at > 0 && !(isSingleLine(text) && isSingleLine(texts[at - 1])) ? '\n' : '') + text)
    .join('')
}

function isSingleLine(text: string | undefined): boolean {
  return text?.indexOf('\n') === text?.lastIndexOf('\n')
}

/** Wraps sentences, but not file contents. */
function formatChange(
  { title, place: path, lines, note, snippet, notes = [], isStuck: isBlocked }: Step,
  home: string,
  useColours: boolean,
) {
  const noteText = note === undefined ? '' : `: ${note}`
  const columns = outputColumns()
  const head = wrapText(`${isBlocked ? '✗ ' : ''}${title}  ${shortenHome(path, home)}${noteText}\n`, columns)
  const snippetText = snippet === undefined ? '' : `${snippet.replace(/^/gm, '    ')}\n`
  const diffText = lines.map((line) => `${colourLine(line, useColours)}\n`).join('')
  return head + snippetText + diffText + notes.map((sentence) => wrapText(`  ${sentence}\n`, columns)).join('')
}

function shortenHome(path: string, home: string): string {
  return path.startsWith(join(home, sep)) ? `~${path.slice(home.length)}` : path
}

function colourLine({ mark, text }: Line, useColours: boolean): string {
  const line = `  ${mark} ${text}`
  if (!useColours || mark === ' ') return line
  return `\u001B[${mark === '+' ? 32 : 31}m${line}\u001B[39m`
}
