// Shows the planned changes of `install` and `uninstall`, asks for confirmation, applies them, and prints the result of
// each. Without a terminal, changes are applied only with `--yes`. The writes themselves are functions in the changes.
// Used by install-command and uninstall-command. Reads and writes the terminal.

import { join, sep } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '@scorpiox/server/config/load-config'
import {
  type ColouredText,
  getOutputColumns,
  print,
  printColoured,
  printText,
  type TerminalStreams,
} from '@scorpiox/server/terminal/terminal'
import { wrapText } from '@scorpiox/server/terminal/text-layout'
import type { CommandFlags } from '../arguments.js'
import type { DiffLine } from '@scorpiox/server/text/line-diff'
import { askConfirmation, confirmWithDefaultNo, promptStreams } from './prompts.js'

export interface InstallChange {
  /** The client or program that is changed. */
  readonly title: string
  readonly path: string
  readonly lines: readonly DiffLine[]
  /** Text after the title. */
  readonly note: string | undefined
  /** Text to paste, printed unchanged below the note. */
  readonly snippet?: string
  /** Sentences printed below the lines. */
  readonly notes?: readonly string[]
  /** Whether the change is needed but cannot be made. */
  readonly isBlocked: boolean
  /** Applies the change and returns the text to print; throws a Failure. Absent if there is nothing to do. */
  readonly apply?: () => string
}

export interface ChangeSet {
  /** Applied first, and only if another change is applied. */
  readonly first?: InstallChange
  readonly changes: readonly InstallChange[]
  /** Applied last, if all others were applied. */
  readonly last?: InstallChange
  /** Always printed below the changes. */
  readonly notice?: string
  /** Printed at the end if something was changed. */
  readonly closing: string
}

/** Exit code if a question was cancelled. */
export const INTERRUPTED_EXIT_CODE = 130

/** Returns the exit code. */
export async function applyChanges(changeSet: ChangeSet, flags: CommandFlags, config: Config): Promise<number> {
  const { first, changes, last, notice } = changeSet
  const { childEnv: env, home } = config
  const allSteps = [first, ...changes, last].filter((step) => step !== undefined)
  const streams = promptStreams(env)
  const useColours = streams !== undefined && (env.NO_COLOR ?? '') === ''
  await printColoured(joinParagraphs(allSteps.map((step) => formatChange(step, home, useColours))))
  if (notice !== undefined) await printText(`\n${notice}`)
  const isBlocked = allSteps.some((step) => step.isBlocked)
  const pending = allSteps.filter(({ apply }) => apply !== undefined)
  if (pending.length === 0) return isBlocked ? 1 : 0
  const confirmed = await confirmChanges(changeSet, pending, flags, streams, home)
  if (!('steps' in confirmed)) {
    await printNoChanges(confirmed.because)
    return isBlocked ? 1 : confirmed.exitCode
  }
  if (confirmed.steps.length === 0) await printNoChanges('.')
  const succeeded = await applyAll(confirmed.steps, changeSet)
  if (succeeded && confirmed.steps.length > 0) await printText(changeSet.closing)
  return succeeded && !isBlocked ? 0 : 1
}

export async function printNoChanges(reason: string): Promise<void> {
  await printText(`\nNo changes made${reason}\n`)
}

type ConfirmedChanges =
  | { readonly steps: readonly InstallChange[] }
  | { readonly because: string; readonly exitCode: number }

async function confirmChanges(
  changeSet: ChangeSet,
  pending: readonly InstallChange[],
  flags: CommandFlags,
  streams: TerminalStreams | undefined,
  home: string,
): Promise<ConfirmedChanges> {
  if (flags['dry-run']) return { because: ' (--dry-run).', exitCode: 0 }
  if (flags.yes) return { steps: pending }
  if (streams === undefined) {
    return { because: ': not a terminal. Add --yes to make these changes without confirmation.', exitCode: 1 }
  }
  const scope = await askConfirmation(streams, pending.length)
  if (scope === 'none') return { because: '.', exitCode: 0 }
  const steps = scope === 'each' ? await askEach(changeSet, streams, home) : pending
  return scope === undefined || steps === undefined ? { because: '.', exitCode: INTERRUPTED_EXIT_CODE } : { steps }
}

/** Stops if the first change fails. Skips the last one after any failure, because it would remove what another still needs. */
async function applyAll(steps: readonly InstallChange[], { first, last }: ChangeSet): Promise<boolean> {
  let succeeded = true
  if (steps.length > 0) await print('\n')
  for (const step of steps) {
    if (step === last && !succeeded) break
    try {
      await printText(`✓ ${step.title}: ${step.apply?.() ?? ''}\n`)
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
  { first, changes, last }: ChangeSet,
  streams: TerminalStreams,
  home: string,
): Promise<readonly InstallChange[] | undefined> {
  const pending = changes.filter(({ apply }) => apply !== undefined)
  const confirmed: InstallChange[] = []
  for (const step of pending) {
    const answer = await confirmWithDefaultNo(streams, `${step.title}, ${shortenHome(step.path, home)}?`)
    if (answer === undefined) return undefined
    if (answer) confirmed.push(step)
  }
  const isAll = confirmed.length === pending.length
  const before = first?.apply && confirmed.length > 0 ? [first] : []
  return [...before, ...confirmed, ...(last?.apply && isAll ? [last] : [])]
}

/** Separates the texts by an empty line, except where both are single lines. */
function joinParagraphs(paragraphs: readonly Paragraph[]): readonly ColouredText[] {
  return paragraphs.flatMap((parts, at) => {
    const isSeparated = at > 0 && !(isSingleLine(parts) && isSingleLine(paragraphs[at - 1] ?? []))
    return isSeparated ? [{ text: '\n' }, ...parts] : parts
  })
}

type Paragraph = readonly ColouredText[]

function isSingleLine(parts: Paragraph): boolean {
  const text = parts.map((part) => part.text).join('')
  return text.indexOf('\n') === text.lastIndexOf('\n')
}

/** Wraps sentences, but not file contents. */
function formatChange(
  { title, path, lines, note, snippet, notes = [], isBlocked }: InstallChange,
  home: string,
  useColours: boolean,
): Paragraph {
  const noteText = note === undefined ? '' : `: ${note}`
  const columns = getOutputColumns()
  const head = wrapText(`${isBlocked ? '✗ ' : ''}${title}  ${shortenHome(path, home)}${noteText}\n`, columns)
  const snippetText = snippet === undefined ? '' : `${snippet.replace(/^/gm, '    ')}\n`
  const diff = lines.map((line) => colourLine(line, useColours))
  const noteLines = notes.map((sentence) => wrapText(`  ${sentence}\n`, columns))
  return [{ text: head + snippetText }, ...diff, { text: noteLines.join('') }]
}

function shortenHome(path: string, home: string): string {
  return path.startsWith(join(home, sep)) ? `~${path.slice(home.length)}` : path
}

function colourLine({ mark, text }: DiffLine, useColours: boolean): ColouredText {
  const colour = !useColours || mark === ' ' ? undefined : mark === '+' ? 'green' : 'red'
  return { text: `  ${mark} ${text}\n`, colour }
}
