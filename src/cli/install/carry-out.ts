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

export async function carryOut(undertaking: Undertaking, flags: Flags, config: Config): Promise<number> {
  const { childEnv: env } = config
  const { first, steps, last, command } = undertaking
  const every = [first, ...steps, last].filter((step) => step !== undefined)
  const streams = env.TERM === 'dumb' ? undefined : terminalStreams()
  const colours = streams !== undefined && (env.NO_COLOR ?? '') === ''
  await print(paragraphs(every.map((step) => shown(step, config.home, colours))))
  const isStuck = every.some((step) => step.isStuck)
  const open = every.filter(({ perform }) => perform !== undefined)
  if (open.length === 0) return isStuck ? 1 : 0
  if (flags['dry-run']) {
    await print('\nNothing was changed: this was only to see.\n')
    return isStuck ? 1 : 0
  }
  if (!flags.yes && streams === undefined) {
    await print(`\nNothing was changed: there is nobody to ask. To do it unasked: scorpiox-code ${command} --yes\n`)
    return 1
  }
  const answer = flags.yes || streams === undefined ? 'all' : await ask(open, streams)
  if (answer === undefined || answer === 'none') {
    await print('Nothing was changed.\n')
    return answer === 'none' ? 0 : INTERRUPTED
  }
  const chosen = answer === 'each' && streams ? await askEach(undertaking, streams) : open
  if (chosen === undefined) {
    await print('Nothing was changed.\n')
    return INTERRUPTED
  }
  const isDone = await performAll(chosen)
  if (chosen.length > 0) await print(undertaking.closing)
  return isDone && !isStuck ? 0 : 1
}

async function performAll(steps: readonly Step[]): Promise<boolean> {
  let isDone = true
  if (steps.length > 0) await print('\n')
  for (const step of steps) {
    try {
      await print(`✓ ${step.title}: ${step.perform?.() ?? ''}\n`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      isDone = false
      await print(`✗ ${step.title}: ${error.message}\n`)
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

async function askEach({ first, steps, last }: Undertaking, streams: Streams): Promise<readonly Step[] | undefined> {
  const clack = await import('@clack/prompts')
  const open = steps.filter(({ perform }) => perform !== undefined)
  const chosen: Step[] = []
  for (const step of open) {
    const answer = await clack.confirm({ ...streams, message: `${step.title} (${step.place})?` })
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
  const short = place.startsWith(join(home, sep)) ? `~${place.slice(home.length)}` : place
  const head = `${isStuck ? '✗ ' : ''}${title}  ${short}${said}\n`
  return head + lines.map((line) => `${coloured(line, colours)}\n`).join('')
}

function coloured({ mark, text }: Line, colours: boolean): string {
  const line = `  ${mark} ${text}`
  if (!colours || mark === ' ') return line
  return `\u001B[${mark === '+' ? 32 : 31}m${line}\u001B[39m`
}
