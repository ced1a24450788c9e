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
  UsageError,
  waitForStopSignal,
} from '@scorpiox/server/terminal/terminal'
import { listAsked } from '../asked-items.js'
import { findNewlyFailed } from '../i18n/job-ending.js'
import type { UserConsole } from '../user-console.js'
import { openUserConsoles } from '../user-consoles.js'
import { type ConsoleChange, type ConsoleView, EMPTY_VIEW, type JobView } from '../view.js'
import { formatCounts, formatReport, formatReportJson } from './format-view.js'
import { openFullScreen } from './full-screen.js'
import { readFullView } from './full-view.js'
import { createHomeScreen } from './home-screen.js'
import { createInboxApp } from './inbox-app.js'
import { createInboxTranslator, type InboxTranslator, type NotificationSwitch } from './inbox-context.js'
import { formatFailedJob } from './job-item.js'
import { NOTIFY_MODES, notificationSequence, type NotifyMode } from './notifications.js'
import { createStyleCode } from './rows.js'

/** Maximum time to wait for the state of the servers when it is printed once. */
const ANSWER_MS = 2000
/** Maximum time to wait for closing before the process exits. */
const CLOSE_MS = 500

interface InboxOptions {
  readonly json?: boolean | undefined
  readonly once?: boolean | undefined
  /** Neither bell nor notification for new questions and failed jobs. */
  readonly quiet?: boolean | undefined
  /** When desktop notifications are sent; a NotifyMode. */
  readonly notify?: string | undefined
  readonly lang?: string | undefined
}

export async function runInboxCommand(config: Config, options: InboxOptions): Promise<number> {
  const exitCode = await showInbox(config, options)
  return exitCode === SIGHUP_EXIT_CODE ? exitBySighup() : exitCode
}

async function showInbox(config: Config, { json, once, quiet, notify, lang }: InboxOptions): Promise<number> {
  const mode = parseNotifyMode(notify)
  const translator = createInboxTranslator(lang, config.childEnv)
  const consoles = openUserConsoles({ config, state: createLazyDatabase(config), localFeed: undefined })
  const userConsole = consoles.forUser(getOsUser(), true)
  const streams = json || once || config.childEnv.TERM === 'dumb' ? undefined : getTerminalStreams()
  try {
    return await (streams
      ? runInteractive(userConsole, streams, translator, {
          notify: mode,
          isQuiet: quiet ?? false,
          env: config.childEnv,
        })
      : printOnce(userConsole, translator, json ?? false))
  } finally {
    await Promise.race([consoles.close(), sleep(CLOSE_MS)])
  }
}

function parseNotifyMode(flag = 'auto'): NotifyMode {
  const found = NOTIFY_MODES.find((mode) => mode === flag)
  if (found) return found
  throw new UsageError(`--notify must be one of ${NOTIFY_MODES.join(', ')}, got ${flag}`)
}

async function printOnce(userConsole: UserConsole, translator: InboxTranslator, json: boolean): Promise<number> {
  // Keeps the process alive until the view arrives.
  const keepAlive = setInterval(() => {}, 60_000)
  try {
    const read = userConsole.readView(ANSWER_MS).then((view) => readFullView(userConsole, view))
    const view = await Promise.race([read, waitForStopSignal()])
    if (typeof view === 'number') return view
    await (json ? printJson(formatReportJson(view)) : print(formatReport(view, translator, Date.now())))
    return 0
  } finally {
    clearInterval(keepAlive)
  }
}

interface InteractiveOptions {
  readonly notify: NotifyMode
  readonly isQuiet: boolean
  readonly env: NodeJS.ProcessEnv
}

async function runInteractive(
  userConsole: UserConsole,
  streams: TerminalStreams,
  translator: InboxTranslator,
  { notify, isQuiet, env }: InteractiveOptions,
): Promise<number> {
  const screen = openFullScreen(streams)
  const notifications = createNotifications(isQuiet, (text) => screen.signal(notificationSequence(text, notify, env)))
  const followed = followView(userConsole, {
    onChange: () => app.redraw(),
    onQuestion: (text) => notifications.send(text),
    onJobsFailed: (jobs) => notifications.send(jobs.map((job) => formatFailedJob(job, translator)).join(' · ')),
  })
  const view = () => followed.view() ?? EMPTY_VIEW
  const styleCode = createStyleCode(wantsColours(env) ?? streams.output.hasColors(16, { ...env, NO_COLOR: undefined }))
  const app = createInboxApp({ screen, translator, styleCode, headline: () => formatCounts(view(), translator) })
  const describeExit = (code: number | null): string =>
    code === null ? translator.translate('endedUnknown') : translator.translate('exitCode', { code: String(code) })
  const editText = async (text: string): Promise<string> =>
    (await import('@scorpiox/server/terminal/edit-text')).editText(text, 'plan.md', env, describeExit)
  try {
    const home = createHomeScreen({ userConsole, ui: app, translator, view, editText, notifications })
    const quit = followed.firstView.then(() => app.start(home)).then(() => 0)
    return await Promise.race([screen.exited, quit])
  } finally {
    followed.close()
    app.close()
    screen.restore()
  }
}

/** The convention of FORCE_COLOR and NO_COLOR; undefined if neither is set. */
function wantsColours({ FORCE_COLOR = '', NO_COLOR = '' }: NodeJS.ProcessEnv): boolean | undefined {
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return NO_COLOR === '' ? undefined : false
}

interface Notifications extends NotificationSwitch {
  send(text: string): void
}

function createNotifications(isQuiet: boolean, signal: (text: string) => void): Notifications {
  let areOn = !isQuiet
  return {
    get areOn() {
      return areOn
    },
    toggle: () => void (areOn = !areOn),
    send(text) {
      if (areOn) signal(text)
    },
  }
}

interface FollowedView {
  /** Undefined until the first view arrives. */
  view(): ConsoleView | undefined
  /** Resolves with the first view. */
  readonly firstView: Promise<ConsoleView>
  close(): void
}

interface ViewListener {
  onChange(): void
  /** For new passwords, questions and plans to approve, not for those in the first view: what is asked. */
  onQuestion(text: string): void
  /** For jobs that have failed since the first view. */
  onJobsFailed(jobs: readonly JobView[]): void
}

/** Follows the view of a console: complete at first, then updated by changed parts. */
function followView(userConsole: Pick<UserConsole, 'watch'>, listener?: ViewListener): FollowedView {
  let view: ConsoleView | undefined
  let known: ReadonlySet<string> | undefined
  let resolveFirst: ((view: ConsoleView) => void) | undefined
  const firstView = new Promise<ConsoleView>((resolve) => (resolveFirst = resolve))

  function notifyNewQuestions(shown: ConsoleView): void {
    const asked = listAsked(shown)
    const added = asked.filter(({ key }) => known?.has(key) === false)
    known = new Set([...(known ?? []), ...asked.map(({ key }) => key)])
    if (added.length > 0) listener?.onQuestion(added.map(({ title }) => title).join(' · '))
  }

  const close = userConsole.watch((change: ConsoleChange) => {
    const before = view
    view = { ...(before ?? EMPTY_VIEW), ...change }
    const failed = before === undefined ? [] : findNewlyFailed(before.jobs, view.jobs, Date.now())
    if (failed.length > 0) listener?.onJobsFailed(failed)
    if (change.questions ?? change.approvals ?? change.secrets) notifyNewQuestions(view)
    resolveFirst?.(view)
    listener?.onChange()
  })
  return { view: () => view, firstView, close }
}
