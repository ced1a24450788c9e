// `scorpiox-code inbox`: the console in a terminal, interactive and localized. Without a terminal, or with --once or
// --json, it is printed once. Called by cli/commands.ts of the app. Connects to the servers of this machine and to the
// database. Sets timers.

import { setTimeout as sleep } from 'node:timers/promises'

import { getOsUser } from '@scorpiox/mcp/os'
import type { Config } from '@scorpiox/server/config/load-config'
import { createLazyDatabase } from '@scorpiox/server/lazy-state'
import {
  exitBySighup,
  getTerminalStreams,
  print,
  printJson,
  SIGHUP_EXIT_CODE,
  type TerminalStreams,
  waitForStopSignal,
} from '@scorpiox/server/terminal/terminal'
import type { UserConsole } from '../user-console.js'
import { openUserConsoles } from '../user-consoles.js'
import { type ConsoleChange, type ConsoleView, EMPTY_VIEW } from '../view.js'
import { formatReport, formatReportJson } from './format-view.js'
import { openFullScreen } from './full-screen.js'
import { readFullView } from './full-view.js'
import { createInboxTranslator, type InboxTranslator } from './inbox-context.js'
import { createInboxPrompts } from './prompts.js'
import { runInbox } from './screens.js'

/** Time for the servers to send their state after the connection. */
const SETTLE_MS = 200
/** Maximum time to wait for closing before the process exits. */
const CLOSE_MS = 500

interface InboxOptions {
  readonly json?: boolean | undefined
  readonly once?: boolean | undefined
  /** No bell for new questions. */
  readonly quiet?: boolean | undefined
  readonly lang?: string | undefined
}

export async function runInboxCommand(config: Config, options: InboxOptions): Promise<number> {
  const exitCode = await showInbox(config, options)
  return exitCode === SIGHUP_EXIT_CODE ? exitBySighup() : exitCode
}

async function showInbox(config: Config, { json, once, quiet, lang }: InboxOptions): Promise<number> {
  const translator = createInboxTranslator(lang, config.childEnv)
  const consoles = openUserConsoles({ config, state: createLazyDatabase(config), localFeed: undefined })
  const userConsole = consoles.forUser(getOsUser(), true)
  const streams = json || once || config.childEnv.TERM === 'dumb' ? undefined : getTerminalStreams()
  try {
    return await (streams
      ? runInteractive(userConsole, streams, translator, { isQuiet: quiet ?? false, env: config.childEnv })
      : printOnce(userConsole, translator, json ?? false))
  } finally {
    await Promise.race([consoles.close(), sleep(CLOSE_MS)])
  }
}

async function printOnce(userConsole: UserConsole, translator: InboxTranslator, json: boolean): Promise<number> {
  const followed = followView(userConsole)
  // Keeps the process alive until the view arrives.
  const keepAlive = setInterval(() => {}, 60_000)
  try {
    const firstView = await Promise.race([followed.firstView, waitForStopSignal()])
    if (typeof firstView === 'number') return firstView
    await sleep(SETTLE_MS)
    const view = await readFullView(userConsole, followed.view() ?? firstView)
    await (json ? printJson(formatReportJson(view)) : print(formatReport(view, translator, Date.now())))
    return 0
  } finally {
    clearInterval(keepAlive)
    followed.close()
  }
}

async function runInteractive(
  userConsole: UserConsole,
  streams: TerminalStreams,
  translator: InboxTranslator,
  { isQuiet, env }: { readonly isQuiet: boolean; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  const screen = openFullScreen(streams)
  const followed = followView(userConsole, () => {
    if (!isQuiet) screen.ringBell()
  })
  const view = () => followed.view() ?? EMPTY_VIEW
  const edit = async (text: string): Promise<string> =>
    (await import('@scorpiox/server/terminal/edit-text')).editText(text, 'plan.md', env)
  try {
    const prompts = await createInboxPrompts(screen, translator)
    const menuClosed = followed.firstView
      .then(() => runInbox({ userConsole, screen, prompts, translator, view, editText: edit, statusLine: '' }))
      .then(() => 0)
    return await Promise.race([screen.exited, menuClosed])
  } finally {
    followed.close()
    screen.restore()
  }
}

interface FollowedView {
  /** Undefined until the first view arrives. */
  view(): ConsoleView | undefined
  /** Resolves with the first view. */
  readonly firstView: Promise<ConsoleView>
  close(): void
}

/**
 * Follows the view of a console: complete at first, then updated by changed parts. Calls `onQuestion` for new questions
 * and plans to approve, but not for those in the first view.
 */
function followView(userConsole: Pick<UserConsole, 'watch'>, onQuestion: () => void = () => {}): FollowedView {
  let view: ConsoleView | undefined
  let knownQuestions: ReadonlySet<string> | undefined
  let resolveFirst: ((view: ConsoleView) => void) | undefined
  const firstView = new Promise<ConsoleView>((resolve) => (resolveFirst = resolve))

  function notifyNewQuestions({ questions, approvals, secrets }: ConsoleView): void {
    const keys = [
      ...secrets.map(({ server, id }) => `secret ${id} ${server}`),
      ...questions.map(({ project, id }) => `${id} ${project}`),
      ...approvals.map(({ project, id }) => `approval ${id} ${project}`),
    ]
    if (knownQuestions && keys.some((key) => !knownQuestions?.has(key))) onQuestion()
    knownQuestions = new Set([...(knownQuestions ?? []), ...keys])
  }

  const close = userConsole.watch((change: ConsoleChange) => {
    view = { ...(view ?? EMPTY_VIEW), ...change }
    if (change.questions ?? change.approvals ?? change.secrets) notifyNewQuestions(view)
    resolveFirst?.(view)
  })
  return { view: () => view, firstView, close }
}
