// Runs the program in a real pseudo-terminal, types, and reads the screen.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import type { FormQuestion } from '@scorpiox/server/calls/question-form'
import type { QuestionRow } from '@scorpiox/server/features/questions/question-table'
import { openStateDatabase, type StateTables } from '@scorpiox/server/state'
import { openTerminalScreen } from '@scorpiox/server/features/shell/terminal-screen'
import { cleanEnv, emptyFolder, PROGRAM, startServer, type TestClient } from './client.js'
import { eventually } from './eventually.js'

/** Pseudo-terminals of this package do not work on Bun. */
export const HAS_TERMINALS = !('bun' in process.versions) && process.platform !== 'win32'

export const UP = '\u001B[A'
export const DOWN = '\u001B[B'
export const ENTER = '\r'
export const ESC = '\u001B'
export const CTRL_C = '\u0003'
export const CTRL_D = '\u0004'

export interface InboxHome {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  server(): TestClient
  inbox(look?: TerminalOptions): Promise<Terminal>
  write<T>(work: (rows: StateTables) => Promise<T>): Promise<T>
  ask(...questions: readonly Partial<FormQuestion>[]): Promise<QuestionRow>
  find(id: number): Promise<QuestionRow | undefined>
}

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

export interface Terminal {
  /** Of the inbox process. */
  readonly pid: number
  type(...keys: readonly string[]): void
  /** Everything it has printed. */
  bytes(): string
  /** The rows of the screen, after those that have left it; the alternate screen while that is shown. */
  screen(): string
  /** Waits until the screen contains it. */
  waitForText(text: string | RegExp): Promise<string>
  resize(columns: number, rows: number): void
  /** The exit code, and the output of `stty -a` before and after. */
  readonly ended: Promise<{ readonly code: number; readonly before: string; readonly after: string }>
}

export function newInboxHome(settings: NodeJS.ProcessEnv = {}): InboxHome {
  const cwd = realpathSync(emptyFolder())
  const stateDir = emptyFolder()
  const env = { HOME: emptyFolder(), STATE_DIR: stateDir, ASK_WAIT: '60', ...settings }
  const scope = { project: cwd, user: userInfo().username }

  async function withState<T>(work: (rows: StateTables) => Promise<T>): Promise<T> {
    const state = await openStateDatabase({ file: join(stateDir, 'state.db'), databaseUrl: '' })
    try {
      return await state.write(scope, work)
    } finally {
      await state.close()
    }
  }

  return {
    cwd,
    env,
    server: () => startServer({ cwd, env }),
    inbox: (look = {}) => openInbox(cwd, env, look),
    write: withState,
    ask: (...questions) =>
      withState((rows) =>
        rows.questions.insert({ session: 's', askedAt: Date.now(), waiting: false, questions: questions.map(whole) }),
      ),
    find: (id) => withState((rows) => rows.questions.find(id)),
  }
}

function whole(question: Partial<FormQuestion>): FormQuestion {
  return { text: 'Which?', header: null, choices: choices('red', 'green', 'blue'), multiple: false, ...question }
}

export function choices(...labels: readonly string[]): FormQuestion['choices'] {
  return labels.map((label) => ({ label, description: null }))
}

/** The output without a terminal. */
export async function printed(
  home: InboxHome,
  ...args: readonly string[]
): Promise<{ readonly code: unknown; readonly out: string }> {
  const child = spawn(process.execPath, [PROGRAM, 'inbox', ...args], {
    cwd: home.cwd,
    env: cleanEnv(home.env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const [code] = await once(child, 'close')
  return { code, out }
}

/** Rows that have left the screen and are still read. */
const SCROLLBACK = 2000
/** An unknown command for the terminal. */
const END = '\u001B]777;end\u0007'
/** A pseudo-terminal is closed soon after its program has exited, so this one waits until all it has printed was read. */
const SCRIPT = `stty -a > before; sh -c 'echo $$ > pid; exec "$@"' sh "$@"; code=$?; stty -a > after; echo $code > code
printf '\\033]777;end\\007'; until [ -e read ]; do sleep 0.02; done`

function openInbox(cwd: string, env: NodeJS.ProcessEnv, look: TerminalOptions): Promise<Terminal> {
  return openTerminal({ ...look, args: ['inbox', '--cwd', cwd, ...(look.args ?? [])], env: { ...env, ...look.env } })
}

/** The program in a pseudo-terminal. */
export async function openTerminal(look: TerminalOptions): Promise<Terminal> {
  const { spawn: open } = await import('@lydell/node-pty')
  const { columns = 80, rows = 24, args = [], env } = look
  const socketPath = emptyFolder()
  const command = [process.execPath, PROGRAM, ...args]
  // Before the program starts: what it prints until someone listens is lost.
  const screen = await openTerminalScreen({ cols: columns, rows }, SCROLLBACK)
  const terminal = open('bash', ['--norc', '-c', SCRIPT, 'bash', ...command], {
    cwd: socketPath,
    cols: columns,
    rows,
    name: env?.TERM ?? 'xterm-256color',
    env: { ...cleanEnv(), TERM: 'xterm-256color', ...env },
    encoding: null,
  })
  const received: Buffer[] = []
  let drawn: Promise<unknown> | undefined
  terminal.onData((data: string | Buffer) => {
    const bytes = Buffer.from(data)
    received.push(bytes)
    drawn = screen.write(bytes)
    if (Buffer.concat(received.slice(-END.length)).includes(END)) writeFileSync(join(socketPath, 'read'), '')
  })
  const exited = new Promise<void>((resolve) => terminal.onExit(() => resolve()))
  const read = (name: string): string =>
    existsSync(join(socketPath, name)) ? readFileSync(join(socketPath, name), 'utf8') : ''
  const shown = (): string =>
    screen
      .rows(0)
      .map(({ text }) => text)
      .join('\n')

  const pid = Number(await eventually(() => read('pid')))
  return {
    pid,
    type: (...keys) => terminal.write(keys.join('')),
    bytes: () => Buffer.concat(received).toString().replace(END, ''),
    screen: shown,
    waitForText: (message) =>
      eventually(shown, (text) => (typeof message === 'string' ? text.includes(message) : message.test(text))),
    resize(toColumns, toRows) {
      screen.resize({ cols: toColumns, rows: toRows })
      terminal.resize(toColumns, toRows)
    },
    ended: exited
      .then(() => drawn)
      .then(() => ({ code: Number(read('code') || NaN), before: read('before'), after: read('after') })),
  }
}
