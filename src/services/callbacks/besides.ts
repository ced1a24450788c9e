// Runs CALLBACK_COMMAND and posts to CALLBACK_WEBHOOK when a callback fires, in the background and with a time limit.
// Failures are logged.

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { fetchFrom } from '../../platform/http.js'
import { signalGroup, startProgram } from '../../platform/process.js'
import { tagged } from '../../platform/process-tree.js'
import type { ShellProgram } from '../../platform/shell-program.js'
import { createTrees } from '../../platform/trees.js'
import type { Fired } from './fire.js'

const LIMIT_MS = 30_000
const KILL_AFTER_MS = 1000

export interface Besides {
  /** Returns immediately. */
  tell(fired: Fired): void
  /** Kills commands that still run. */
  close(): Promise<void>
}

export interface BesidesSettings {
  readonly command: string
  readonly webhook: string
  readonly project: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The shell that runs the command; throws a Failure if there is none. */
  readonly shell: () => ShellProgram
  readonly warn: (message: string) => void
}

export function createBesides(settings: BesidesSettings): Besides {
  const { command, webhook, project, cwd, env, shell, warn } = settings
  const trees = createTrees()
  const running = new Set<Promise<void>>()
  let started = 0

  async function runCommand({ callback, event }: Fired): Promise<void> {
    const tag = `${trees.family}.c${++started}`
    const commandEnv = { ...env, CALLBACK_MESSAGE: callback.message, CALLBACK_EVENT: event }
    const { file, args } = shell()
    const program = await startProgram({
      file,
      args: args(command),
      cwd,
      env: tagged(commandEnv, tag),
      onOutput: () => {},
    })
    let hasExited = false
    const timer = setTimeout(() => void killCommand(program.pid, tag, () => hasExited), LIMIT_MS).unref()
    const { code } = await program.exited
    hasExited = true
    clearTimeout(timer)
    // Kill processes that the command left running.
    await trees.end(tag, KILL_AFTER_MS)
    if (code !== 0) throw new Failure(`exit code ${code}`)
  }

  async function killCommand(pid: number, tag: string, hasExited: () => boolean): Promise<void> {
    signalGroup(pid, 'SIGTERM')
    setTimeout(() => !hasExited() && signalGroup(pid, 'SIGKILL'), KILL_AFTER_MS).unref()
    await trees.end(tag, KILL_AFTER_MS, hasExited)
  }

  async function post({ callback, message, left, event }: Fired): Promise<void> {
    const { session, slot, message: messageText } = callback
    const payload = {
      callback_id: slot,
      message: messageText,
      event,
      text: message.text,
      repeats_left: left,
      project,
      session,
    }
    const body = JSON.stringify({ ...payload, fired_at: new Date(message.createdAt).toISOString() })
    const { status } = await fetchFrom(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (status >= 300) throw new Failure(`HTTP status ${status}`)
  }

  function runAndLog(name: string, work: Promise<void>): void {
    const done = work.catch((error: unknown) => warn(`${name}: ${reasonOf(error)}`)).finally(() => running.delete(done))
    running.add(done)
  }

  return {
    tell(fired) {
      if (command !== '') runAndLog('CALLBACK_COMMAND', runCommand(fired))
      if (webhook !== '') runAndLog('CALLBACK_WEBHOOK', post(fired))
    },
    async close() {
      if (started > 0) await trees.endAll(KILL_AFTER_MS)
    },
  }
}
