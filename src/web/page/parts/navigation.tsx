// The way between the views, with how much waits or runs in each.

import type { BoardView } from '../../../services/board/view.js'
import type { Key } from '../languages/phrase.js'
import { ROUTES, type Route } from '../route.js'
import { useWords } from '../speech.js'
import { Icon } from './icon.js'

export function Navigation({ route, view }: { readonly route: Route; readonly view: BoardView }) {
  const { say } = useWords()
  return (
    <nav aria-label={say('views')}>
      <ul class="views">
        {ROUTES.map((entry) => (
          <li key={entry}>
            <a href={`#${entry}`} aria-current={entry === route ? 'page' : undefined}>
              <Icon of={entry} />
              <span class="name">{say(entry)}</span>
              <Badge route={entry} view={view} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Badge({ route, view }: { readonly route: Route; readonly view: BoardView }) {
  const { say, number } = useWords()
  const { n, phrase } = counted(route, view)
  if (n === 0 || phrase === undefined) return null
  return (
    <>
      <span class={route === 'questions' || phrase === 'problems' ? 'badge urgent' : 'badge'} aria-hidden="true">
        {number(n)}
      </span>
      <span class="unseen">, {say(phrase, { n })}</span>
    </>
  )
}

function counted(route: Route, view: BoardView): { readonly n: number; readonly phrase?: Key } {
  switch (route) {
    case 'questions':
      return { n: view.questions.length, phrase: 'questionsWaiting' }
    case 'jobs':
      return { n: view.jobs.filter(({ isRunning }) => isRunning).length, phrase: 'jobsRunning' }
    case 'tasks':
      return { n: view.projects.reduce((sum, { openTasks }) => sum + openTasks, 0), phrase: 'tasksOpen' }
    case 'callbacks':
      return { n: view.callbacks.length, phrase: 'callbacksSet' }
    case 'calls':
      return { n: 0 }
    case 'tools':
      return { n: view.problems.length, phrase: 'problems' }
  }
}
