// Shows what would be done, asks the person, does it, and says how each part went. Nothing happens unasked: without a
// terminal it takes `--yes`.

import { join, sep } from 'node:path'

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { Flags } from '../args.js'
import { print, terminalStreams, type Streams } from '../terminal.js'
import type { Line } from './shown-change.js'

export interface Step {
  /** Whom it is about. */
  readonly title: string
  readonly place: string
  readonly lines: readonly Line[]
  /** What there is to know about it. */
  readonly note: string | undefined
  /** Whether it should be done and cannot be. */
  readonly isStuck: boolean
  /** Gives what to say when it is done; throws a Failure that says why it is not. Absent where nothing is to be done. */
  readonly perform?: () => string
}

export interface Undertaking {
  readonly command: 'install' | 'uninstall'
  /** Done first, and only if anything is done at all. */
  readonly first?: Step
  readonly steps: readonly Step[]
  /** Done last, if every step was. */
  readonly last?: Step
  /** Said at the end when something was done. */
  readonly closing: string
}

type Answer = 'all' | 'each' | 'none' | undefined

const INTERRUPTED = 130

/** Gives the exit code. */
export async function carryOut(undertaking: Undertaking, flags: Flags, config: Config): Promise<number> {
  const { first, steps, last } = undertaking
  const { childEnv: env, home } = config
  const every = [first, ...steps, last].filter((step) => step !== undefined)
  const streams = env.TERM === 'dumb' ? undefined : terminalStreams()
  const colours = streams !== undefined && (env.NO_COLOR ?? '') === ''
  await print(paragraphs(every.map((step) => shown(step, home, colours))))
  const isStuck = every.some((step) => step.isStuck)
  const open = every.filter(({ perform }) => perform !== undefined)
  if (open.length === 0) return isStuck ? 1 : 0
  const chosen = await choose(undertaking, open, flags, streams, home)
  if (!('steps' in chosen)) {
    await print(`\nNothing was changed${chosen.because}\n`)
    return isStuck ? 1 : chosen.exitCode
  }
  const isDone = await performAll(chosen.steps, undertaking)
  if (isDone && chosen.steps.length > 0) await print(undertaking.closing)
  return isDone && !isStuck ? 0 : 1
}

type Choice = { readonly steps: readonly Step[] } | { readonly because: string; readonly exitCode: number }

async function choose(
  undertaking: Undertaking,
  open: readonly Step[],
  flags: Flags,
  streams: Streams | undefined,
  home: string,
): Promise<Choice> {
  if (flags['dry-run']) return { because: ': this was only to see.', exitCode: 0 }
  if (flags.yes) return { steps: open }
  if (streams === undefined) return { because: ': there is nobody to ask. To do it unasked, add --yes.', exitCode: 1 }
  const answer = await ask(open, streams)
  if (answer === 'none') return { because: '.', exitCode: 0 }
  const steps = answer === 'each' ? await askEach(undertaking, streams, home) : open
  return answer === undefined || steps === undefined ? { because: '.', exitCode: INTERRUPTED } : { steps }
}

/** Without the first nothing else is of use, and while a step is undone the last would take away what it needs. */
async function performAll(steps: readonly Step[], { first, last }: Undertaking): Promise<boolean> {
  let isDone = true
  if (steps.length > 0) await print('\n')
  for (const step of steps) {
    if (step === last && !isDone) break
    try {
      await print(`✓ ${step.title}: ${step.perform?.() ?? ''}\n`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      isDone = false
      await print(`✗ ${step.title}: ${error.message}\n`)
      if (step === first) break
    }
  }
  return isDone
}

async function ask(open: readonly Step[], streams: Streams): Promise<Answer> {
  const clack = await import('@clack/prompts')
  await print('\n')
  if (open.length === 1) {
    const answer = await clack.confirm({ ...streams, message: 'Make this change?' })
    return clack.isCancel(answer) ? undefined : answer ? 'all' : 'none'
  }
  const answer = await clack.select<'all' | 'each' | 'none'>({
    ...streams,
    message: 'Make these changes?',
    options: [
      { value: 'all', label: 'Yes, all of them' },
      { value: 'each', label: 'Ask about each' },
      { value: 'none', label: 'No' },
    ],
  })
  return clack.isCancel(answer) ? undefined : answer
}

async function askEach(
  { first, steps, last }: Undertaking,
  streams: Streams,
  home: string,
): Promise<readonly Step[] | undefined> {
  const clack = await import('@clack/prompts')
  const open = steps.filter(({ perform }) => perform !== undefined)
  const chosen: Step[] = []
  for (const step of open) {
    const answer = await clack.confirm({ ...streams, message: `${step.title}, ${shortened(step.place, home)}?` })
    if (clack.isCancel(answer)) return undefined
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

function shown({ title, place, lines, note, isStuck }: Step, home: string, colours: boolean): string {
  const said = note === undefined ? '' : `: ${note}`
  const head = `${isStuck ? '✗ ' : ''}${title}  ${shortened(place, home)}${said}\n`
  return head + lines.map((line) => `${coloured(line, colours)}\n`).join('')
}

function shortened(place: string, home: string): string {
  return place.startsWith(join(home, sep)) ? `~${place.slice(home.length)}` : place
}

function coloured({ mark, text }: Line, colours: boolean): string {
  const line = `  ${mark} ${text}`
  if (!colours || mark === ' ') return line
  return `\u001B[${mark === '+' ? 32 : 31}m${line}\u001B[39m`
}
