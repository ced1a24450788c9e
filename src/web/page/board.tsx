// The console after login: navigation, current view, notifications and connection state.

import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { BoardView } from '../../services/board/view.js'
import { firstWords } from './board-state.js'
import { ConnectionState } from './parts/connection-state.js'
import { Brand } from './parts/brand.js'
import { LanguageSwitch } from './parts/language-switch.js'
import { Navigation } from './parts/navigation.js'
import { News, useNews } from './parts/news.js'
import { Opening } from './parts/opening.js'
import { Problems } from './parts/problems.js'
import { useRoute, type Route } from './route.js'
import type { Farewell } from './login.js'
import type { SignIn } from './sign-in.js'
import { useWords } from './speech.js'
import { ActProvider, OutputProvider, useActing, useBoard, useOutputReader } from './use-board.js'
import { CallbacksView } from './views/callbacks.js'
import { CallsView } from './views/calls.js'
import { JobsView } from './views/jobs.js'
import { QuestionsView } from './views/questions.js'
import { TasksView } from './views/tasks.js'
import { ToolsView } from './views/tools.js'

interface ConsolePageProps {
  readonly signedIn: SignIn
  readonly leave: (reason?: Farewell) => void
  readonly choose: (language: string) => void
}

export function Board({ signedIn, leave, choose }: ConsolePageProps) {
  const words = useWords()
  const route = useRoute()
  const { news, tell, close } = useNews()
  const [announced, announce] = useState('')
  const readOutput = useOutputReader(signedIn.token)
  const act = useActing(signedIn.token, () => leave('expired'))
  const { view, connection, retry } = useBoard(signedIn.token, {
    denied: (wasLive) => leave(wasLive ? 'expired' : signedIn.byLink ? 'link' : 'wrong'),
    asked: (question) => announce(words.say('questionNew', { question: firstWords(question) })),
    gone: (question) => tell(words.say('questionGone', { question: firstWords(question) })),
  })
  const waiting = view?.questions.length ?? 0
  useTitle(words.say(route), waiting)
  const main = useFocusOnRouteChange(route)

  /** Moves the focus before the form that has it disappears. */
  const onSettled = (text: string): void => {
    tell(text, true)
    main.current?.focus({ preventScroll: true })
  }

  if (view === undefined) return <Opening connection={connection} retry={retry} leave={() => leave()} />
  return (
    <ActProvider value={act}>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        {words.say('skip')}
      </a>
      <div class="frame">
        <header class="side">
          <Brand />
          <Navigation route={route} view={view} />
          <div class="settings">
            <ConnectionState connection={connection} retry={retry} />
            <LanguageSwitch choose={choose} />
            <button class="button" type="button" onClick={() => leave()}>
              {words.say('logOut')}
            </button>
          </div>
        </header>
        <main id="main" ref={main} tabIndex={-1}>
          <News news={news} close={close} />
          <Problems problems={view.problems} />
          <OutputProvider value={readOutput}>{VIEWS[route](view, onSettled)}</OutputProvider>
        </main>
      </div>
      <p class="unseen" role="status" aria-live="polite">
        {announced}
      </p>
    </ActProvider>
  )
}

type RenderView = (view: BoardView, onSettled: (text: string) => void) => VNode

const VIEWS: Readonly<Record<Route, RenderView>> = {
  questions: ({ questions }, onSettled) => <QuestionsView questions={questions} settled={onSettled} />,
  jobs: ({ jobs }) => <JobsView jobs={jobs} />,
  tasks: ({ projects }) => <TasksView projects={projects} />,
  callbacks: ({ callbacks, messages }) => <CallbacksView callbacks={callbacks} messages={messages} />,
  calls: ({ calls }) => <CallsView calls={calls} />,
  tools: ({ servers }) => <ToolsView servers={servers} />,
}

function useTitle(name: string, waiting: number): void {
  const { number } = useWords()
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${number(waiting)}) ` : ''}${name} · scorpiox-code`
  }, [name, waiting, number])
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
