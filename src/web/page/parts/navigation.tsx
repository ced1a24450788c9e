import type { BoardView } from '../../../services/board/view.js'
import type { Key } from '../../../services/board/languages/phrase.js'
import { ROUTES, type Route } from '../route.js'
import { useWords } from '../speech.js'
import { Icon } from './icon.js'

/** A larger count is shown as `999+`. */
const MAX_COUNT = 999

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
  const count = COUNTS[route]
  const n = count?.of(view) ?? 0
  if (count === undefined || n === 0) return null
  return (
    <>
      <span class={route === 'questions' || route === 'tools' ? 'badge urgent' : 'badge'} aria-hidden="true">
        {n > MAX_COUNT ? `${number(MAX_COUNT)}+` : number(n)}
      </span>
      <span class="unseen">, {say(count.phrase, { n })}</span>
    </>
  )
}

interface Count {
  readonly phrase: Key
  readonly of: (view: BoardView) => number
}

const COUNTS: Readonly<Record<Route, Count | undefined>> = {
  questions: { phrase: 'questionsWaiting', of: ({ questions }) => questions.length },
  jobs: { phrase: 'jobsRunning', of: ({ jobs }) => jobs.filter(({ isRunning }) => isRunning).length },
  tasks: { phrase: 'tasksOpen', of: ({ projects }) => projects.reduce((sum, { openTasks }) => sum + openTasks, 0) },
  callbacks: { phrase: 'callbacksSet', of: ({ callbacks }) => callbacks.length },
  calls: undefined,
  tools: { phrase: 'problems', of: ({ problems }) => problems.length },
}
