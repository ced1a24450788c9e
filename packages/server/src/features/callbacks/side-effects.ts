// Runs CALLBACK_COMMAND and posts to CALLBACK_WEBHOOK when a callback has fired, in the background and with a time limit.
// Starts processes (outside of the sandbox) and sends HTTP requests. Failures are logged. Used by callback-sync.
// Sets timers.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { fetchConfiguredUrl } from '../../guarded-fetch/configured-fetch.js'
import { createUntaggedTrees, type RootProcess } from '../../process/kill-untagged.js'
import { withTag } from '../../process/process-tags.js'
import { createProcessTrees } from '../../process/process-tree.js'
import type { ShellProgram } from '../../process/shell-program.js'
import { signalProcessGroup } from '../../process/signals.js'
import { spawnProcess } from '../../process/spawn.js'
import type { FiredCallback } from './fire-callback.js'

const LIMIT_MS = 30_000
const KILL_AFTER_MS = 1000

export interface CallbackSideEffects {
  /** Returns immediately. */
  run(fired: FiredCallback): void
  /** Kills commands that still run. */
  close(): Promise<void>
}

export interface CallbackSideEffectsDeps {
  readonly command: string
  readonly webhook: string
  readonly project: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The shell that runs the command; throws a Failure if there is none. */
  readonly shell: () => ShellProgram
  readonly warn: (message: string) => void
  /** The platform and the time limit; tests set others. */
  readonly platform?: NodeJS.Platform
  readonly limitMs?: number
}

export function createCallbackSideEffects(settings: CallbackSideEffectsDeps): CallbackSideEffects {
  const { command, webhook, project, cwd, env, shell, warn, platform = process.platform, limitMs = LIMIT_MS } = settings
  const trees = createProcessTrees()
  const untagged = createUntaggedTrees(platform)
  const running = new Set<Promise<void>>()
  let started = 0

  async function runCommand({ callback, event }: FiredCallback): Promise<void> {
    const tag = `${trees.tagPrefix}.c${++started}`
    const commandEnv = { ...env, CALLBACK_MESSAGE: callback.message, CALLBACK_EVENT: event }
    const shellProgram = shell()
    const startedAtMs = Date.now()
    const program = await spawnProcess({
      file: shellProgram.file,
      args: shellProgram.args(command),
      cwd,
      env: withTag(commandEnv, tag),
      onOutput: () => {},
    })
    let hasExited = false
    const root = untagged?.add({ ...program, tag, startedAtMs, shell: shellProgram })
    const kill = (): Promise<unknown> => (root ? killUntagged(root) : killCommand(program.pid, tag, () => hasExited))
    const timer = setTimeout(() => void kill(), limitMs).unref()
    const { code } = await program.exited
    hasExited = true
    clearTimeout(timer)
    // Kill processes that the command left running.
    await (root ? killUntagged(root) : trees.killTree(tag, KILL_AFTER_MS))
    if (code !== 0) throw new Failure(`exit code ${code}`)
  }

  /** Where tags cannot be read: macOS and Windows. */
  async function killUntagged(root: RootProcess): Promise<unknown> {
    return untagged?.killTree(root, KILL_AFTER_MS)
  }

  async function killCommand(pid: number, tag: string, hasExited: () => boolean): Promise<void> {
    signalProcessGroup(pid, 'SIGTERM')
    setTimeout(() => !hasExited() && signalProcessGroup(pid, 'SIGKILL'), KILL_AFTER_MS).unref()
    await trees.killTree(tag, KILL_AFTER_MS, hasExited)
  }

  async function post({ callback, message, repeatsLeft, event }: FiredCallback): Promise<void> {
    const { session, slot, message: messageText } = callback
    const payload = {
      callback_id: slot,
      message: messageText,
      event,
      text: message.text,
      repeats_left: repeatsLeft,
      project,
      session,
    }
    const body = JSON.stringify({ ...payload, fired_at: new Date(message.createdAt).toISOString() })
    const { status } = await fetchConfiguredUrl(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (status >= 300) throw new Failure(`HTTP status ${status}`)
  }

  function runAndLog(name: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => warn(`${name}: ${errorMessage(error)}`))
      .finally(() => running.delete(done))
    running.add(done)
  }

  return {
    run(fired) {
      if (command !== '') runAndLog('CALLBACK_COMMAND', runCommand(fired))
      if (webhook !== '') runAndLog('CALLBACK_WEBHOOK', post(fired))
    },
    async close() {
      if (started > 0) await Promise.all([trees.killAll(KILL_AFTER_MS), untagged?.killAll(KILL_AFTER_MS)])
    },
  }
}
