// The console after login: navigation, current view, notifications and connection state. Rendered by main.tsx. Opens
// the event stream and sends actions through use-console.ts; sets the title, focus and scroll position of the document.

import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { ConsoleView } from '../view.js'
import type { StoredLogin } from './auth-token.js'
import { ProblemList, ToastList, useToasts } from './components/alerts.js'
import { ConnectionIndicator, LoadingScreen } from './components/connection.js'
import { Brand, LanguageSwitch, Navigation } from './components/header.js'
import { findFocusedCard, type SettledHandler } from './components/view-frame.js'
import type { LogoutReason } from './login.js'
import { type Route, useRoute } from './route.js'
import { ActionProvider, JobOutputProvider, useActionRunner, useConsole, useJobOutputFetcher } from './use-console.js'
import { useTranslator } from './use-translator.js'
import { CallbacksView } from './views/callbacks.js'
import { CallsView } from './views/calls.js'
import { JobsView } from './views/jobs.js'
import { QuestionsView } from './views/questions.js'
import { TasksView } from './views/tasks.js'
import { ToolsView } from './views/tools.js'

interface ConsolePageProps {
  readonly login: StoredLogin
  readonly logOut: (reason?: LogoutReason) => void
  readonly chooseLanguage: (language: string) => void
}

export function ConsolePage({ login, logOut: leave, chooseLanguage: choose }: ConsolePageProps) {
  const translator = useTranslator()
  const route = useRoute()
  const { toasts, notify, close } = useToasts()
  const [announced, announce] = useState('')
  const readOutput = useJobOutputFetcher(login.token)
  const act = useActionRunner(login.token, () => leave('expired'))
  const { view, connection, retry } = useConsole(login.token, {
    onDenied: (wasLive) => leave(wasLive ? 'expired' : login.byLink ? 'link' : 'wrong'),
    onQuestion: (question) => announce(translator.translate('questionNew', { question })),
    onQuestionGone: (question) => notify(translator.translate('questionGone', { question })),
  })
  const waiting = view === undefined ? 0 : view.questions.length + view.approvals.length + view.secrets.length
  useTitle(translator.translate(route), waiting)
  const main = useFocusOnRouteChange(route)

  /** Moves the focus before the form that has it disappears, but not from another card that is typed into meanwhile. */
  const onSettled: SettledHandler = (text, card) => {
    notify(text, true)
    const focused = findFocusedCard()
    if (focused === null || focused === card) main.current?.focus({ preventScroll: true })
  }

  if (view === undefined) return <LoadingScreen connection={connection} retry={retry} logOut={() => leave()} />
  return (
    <ActionProvider value={act}>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        {translator.translate('skip')}
      </a>
      <div class="frame">
        <header class="side">
          <Brand />
          <Navigation route={route} view={view} />
          <div class="settings">
            <ConnectionIndicator connection={connection} retry={retry} />
            <LanguageSwitch chooseLanguage={choose} />
            <button class="button" type="button" onClick={() => leave()}>
              {translator.translate('logOut')}
            </button>
          </div>
        </header>
        <main id="main" ref={main} tabIndex={-1}>
          <ToastList toasts={toasts} close={close} />
          <ProblemList problems={view.problems} />
          <JobOutputProvider value={readOutput}>{VIEWS[route](view, onSettled)}</JobOutputProvider>
        </main>
      </div>
      <p class="unseen" role="status" aria-live="polite">
        {announced}
      </p>
    </ActionProvider>
  )
}

type RenderView = (view: ConsoleView, onSettled: SettledHandler) => VNode

const VIEWS: Readonly<Record<Route, RenderView>> = {
  questions: ({ secrets, approvals, questions }, onSettled) => (
    <QuestionsView secrets={secrets} approvals={approvals} questions={questions} onSettled={onSettled} />
  ),
  jobs: ({ jobs }) => <JobsView jobs={jobs} />,
  tasks: ({ projects }) => <TasksView projects={projects} />,
  callbacks: ({ callbacks, messages }) => <CallbacksView callbacks={callbacks} messages={messages} />,
  calls: ({ calls }) => <CallsView calls={calls} />,
  tools: ({ servers }) => <ToolsView servers={servers} />,
}

function useTitle(name: string, waiting: number): void {
  const { formatNumber } = useTranslator()
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${formatNumber(waiting)}) ` : ''}${name} · scorpiox-code`
  }, [name, waiting, formatNumber])
}

/** Moves focus and scroll position to the new view, for keyboard and screen reader users. */
function useFocusOnRouteChange(route: Route) {
  const main = useRef<HTMLElement>(null)
  const before = useRef(route)
  useEffect(() => {
    if (before.current !== route) main.current?.focus({ preventScroll: true })
    if (before.current !== route) scrollTo(0, 0)
    before.current = route
  }, [route])
  return main
}

/** Does not follow the link, because the URL fragment selects the view. */
function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault()
  target?.focus()
}
