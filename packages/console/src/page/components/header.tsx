// Header of the page: product name, navigation with counts, and language menu. Used by console-page, the login and the
// loading screen. Renders only.

import { LANGUAGES, type TranslationKey } from '../../i18n/translator.js'
import type { ConsoleView } from '../../view.js'
import { type Route, ROUTES } from '../route.js'
import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'

export function Brand() {
  return (
    <p class="brand" dir="ltr">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <rect width="24" height="24" rx="6" />
        <path d="M6 17h6a5 5 0 0 0 0-10h-2l3-3M10 7l3 3" />
      </svg>
      scorpiox-code
    </p>
  )
}

/** A larger count is shown as `999+`. */
const MAX_COUNT = 999

export function Navigation({ route, view }: { readonly route: Route; readonly view: ConsoleView }) {
  const { translate } = useTranslator()
  return (
    <nav aria-label={translate('views')}>
      <ul class="views">
        {ROUTES.map((entry) => (
          <li key={entry}>
            <a href={`#${entry}`} aria-current={entry === route ? 'page' : undefined}>
              <Icon of={entry} />
              <span class="name">{translate(entry)}</span>
              <Badge route={entry} view={view} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Badge({ route, view }: { readonly route: Route; readonly view: ConsoleView }) {
  const { translate, formatNumber } = useTranslator()
  const count = COUNTS[route]
  const n = count?.of(view) ?? 0
  if (count === undefined || n === 0) return null
  return (
    <>
      <span class={route === 'questions' || route === 'tools' ? 'badge urgent' : 'badge'} aria-hidden="true">
        {n > MAX_COUNT ? `${formatNumber(MAX_COUNT)}+` : formatNumber(n)}
      </span>
      <span class="unseen">, {translate(count.phrase, { n })}</span>
    </>
  )
}

interface Count {
  readonly phrase: TranslationKey
  readonly of: (view: ConsoleView) => number
}

const COUNTS: Readonly<Record<Route, Count | undefined>> = {
  questions: {
    phrase: 'questionsWaiting',
    of: ({ secrets, approvals, questions }) => secrets.length + approvals.length + questions.length,
  },
  jobs: { phrase: 'jobsRunning', of: ({ jobs }) => jobs.filter(({ isRunning }) => isRunning).length },
  tasks: { phrase: 'tasksOpen', of: ({ projects }) => projects.reduce((sum, { openTasks }) => sum + openTasks, 0) },
  callbacks: { phrase: 'callbacksSet', of: ({ callbacks }) => callbacks.length },
  calls: undefined,
  tools: { phrase: 'problems', of: ({ problems }) => problems.length },
}

export function LanguageSwitch({ chooseLanguage }: { readonly chooseLanguage: (language: string) => void }) {
  const { translate, language } = useTranslator()
  return (
    <label class="language">
      <span class="unseen">{translate('language')}</span>
      <select value={language} onChange={(event) => chooseLanguage(event.currentTarget.value)}>
        {LANGUAGES.map((entry) => (
          <option key={entry.language} value={entry.language} lang={entry.language}>
            {entry.name}
          </option>
        ))}
      </select>
    </label>
  )
}
