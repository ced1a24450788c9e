// Attaches the person's terminal to the terminal of a job: shows it, passes every key on to the program, and gives it
// the size of the person's terminal meanwhile. Ctrl+] detaches. Opened by job-pane.ts. Reads and writes the terminal;
// types through the console.

import { StringDecoder } from 'node:string_decoder'

import { Failure } from '@scorpiox/mcp/errors'
import type { TerminalSize } from '@scorpiox/server/features/shell/index'
import { MAX_TYPED_CHARACTERS } from '../feed-terminals.js'
import { streamTerminal } from '../terminal-stream.js'
import type { JobTerminal } from '../user-console.js'
import type { JobView } from '../view.js'
import type { FullScreen, RawTerminal } from './full-screen.js'
import type { InboxContext } from './inbox-context.js'

const DETACH_KEY = '\u001D'
/** Also resets modes, margins and colours that the program has set. */
const CLEAR = '\u001B[!p\u001B[r\u001B[H\u001B[2J'

/** Resolves to how it ended, when the person detaches or the program ends. Rejects with a Failure if it cannot be read or typed into. */
export async function attachToJob(context: InboxContext, screen: FullScreen, job: JobView): Promise<string> {
  const { userConsole } = context
  const { translate } = context.translator
  const terminal = userConsole.terminalOf(job)
  const { cols, rows } = job.terminal ?? {}
  const banner = `[${translate('attached', { id: `${job.id}` })}]\r\n`
  const resize = (): void => void tryResize(terminal, { cols: screen.columns(), rows: screen.rows() })
  const stopResizing = screen.onResize(resize)
  if (cols !== screen.columns() || rows !== screen.rows()) resize()
  try {
    const hasEnded = await screen.passThrough((raw) => connect(terminal, raw, banner))
    return translate(hasEnded ? 'terminalEnded' : 'detached')
  } finally {
    stopResizing()
    if (cols !== undefined && rows !== undefined) await tryResize(terminal, { cols, rows })
    await terminal.giveBack(true).catch(() => undefined)
  }
}

/** The size is not essential: the program may have ended, or plan mode may forbid it. */
async function tryResize(terminal: JobTerminal, size: TerminalSize): Promise<void> {
  await terminal.resize(size).catch(() => undefined)
}

/** Resolves to whether the program has ended. */
async function connect(terminal: JobTerminal, raw: RawTerminal, banner: string): Promise<boolean> {
  const detaching = new AbortController()
  const detached = new Promise<boolean>((resolve) =>
    detaching.signal.addEventListener('abort', () => resolve(false), { once: true }),
  )
  const typing = passKeys(terminal, raw, () => detaching.abort())
  const showing = show(terminal, raw, banner, detaching.signal)
  try {
    return await Promise.race([showing, detached, typing.failed])
  } finally {
    detaching.abort()
    await typing.done()
  }
}

async function show(terminal: JobTerminal, raw: RawTerminal, banner: string, signal: AbortSignal): Promise<boolean> {
  for await (const { isReset, text } of streamTerminal((from) => terminal.read(from), signal)) {
    if (signal.aborted) return false
    await raw.write(`${isReset ? `${CLEAR}${banner}` : ''}${text}`)
  }
  return !signal.aborted
}

interface KeyPassing {
  /** Rejects if keys are refused. */
  readonly failed: Promise<never>
  /** Resolves when everything typed before is passed on. */
  done(): Promise<void>
}

/** One request at a time, so that keys arrive in their order. */
function passKeys(terminal: JobTerminal, raw: RawTerminal, detach: () => void): KeyPassing {
  const decoder = new StringDecoder()
  let waiting = ''
  let sending: Promise<void> | undefined
  let fail: ((error: unknown) => void) | undefined
  const failed = new Promise<never>((_, reject) => (fail = reject))
  failed.catch(() => undefined)

  async function sendAll(): Promise<void> {
    while (waiting !== '') {
      const text = waiting.slice(0, MAX_TYPED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
      waiting = waiting.slice(text.length)
      await terminal.type(text)
    }
  }

  raw.onInput((bytes) => {
    const [typed = '', ...rest] = decoder.write(bytes).split(DETACH_KEY)
    waiting += typed
    sending ??= sendAll()
      .catch((error: unknown) =>
        fail?.(error instanceof Failure ? error : new Failure('The job cannot be typed into.')),
      )
      .finally(() => (sending = undefined))
    if (rest.length > 0) detach()
  })
  return { failed, done: async () => sending }
}
