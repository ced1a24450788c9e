// The views of the page: their keys, counts and place, and the links to them: a sidebar, and on a phone a bar at the bottom
// with a menu for the rest. A new view is a line in VIEWS of route.ts and one here. Used by console-page and the command
// palette. Renders only.

import { useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { ConsoleView } from '../../view.js'
import { routeHref, type ViewName, VIEWS } from '../route.js'
import { useTranslator } from '../use-translator.js'
import { Dialog } from './dialog.js'
import { Icon } from './icon.js'

interface NavigationEntry {
  /** After `g`. */
  readonly key: string
  /** In the bar of a phone, which has room for four. */
  readonly isInBar: boolean
  readonly count: Count | undefined
}

export interface CountedView extends ConsoleView {
  /** What Home lists, without what is hidden in this browser. */
  readonly homeItems: number
}

interface Count {
  readonly phrase: TranslationKey
  readonly of: (view: CountedView) => number
  /** It waits for the user. */
  readonly isUrgent: boolean
}

export const NAVIGATION: Readonly<Record<ViewName, NavigationEntry>> = {
  home: { key: 'h', isInBar: true, count: { phrase: 'homeItems', of: ({ homeItems }) => homeItems, isUrgent: true } },
  jobs: { key: 'j', isInBar: true, count: { phrase: 'jobsRunning', of: countRunningJobs, isUrgent: false } },
  calls: { key: 'c', isInBar: true, count: undefined },
  plans: { key: 'p', isInBar: false, count: { phrase: 'plansOpen', of: countOpenPlans, isUrgent: false } },
  tasks: { key: 't', isInBar: true, count: { phrase: 'tasksOpen', of: countOpenTasks, isUrgent: false } },
  callbacks: {
    key: 'b',
    isInBar: false,
    count: { phrase: 'callbacksSet', of: ({ callbacks }) => callbacks.length, isUrgent: false },
  },
  tools: {
    key: 'o',
    isInBar: false,
    count: { phrase: 'problems', of: ({ problems }) => problems.length, isUrgent: true },
  },
}

function countRunningJobs({ jobs }: ConsoleView): number {
  return jobs.filter(({ isRunning }) => isRunning).length
}

function countOpenPlans({ projects }: ConsoleView): number {
  return projects.filter(({ plan }) => plan !== null).length
}

function countOpenTasks({ projects }: ConsoleView): number {
  return projects.reduce((sum, { openTasks }) => sum + openTasks, 0)
}

interface NavigationProps {
  readonly current: ViewName
  readonly view: CountedView
  /** In the menu of a phone. */
  readonly openSettings: () => void
}

export function Navigation({ current, view, openSettings }: NavigationProps) {
  const { translate } = useTranslator()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const rest = VIEWS.filter((name) => !NAVIGATION[name].isInBar)
  const hasUrgent = rest.some((name) => isUrgent(name, view))
  return (
    <nav aria-label={translate('views')}>
      <ul class="views">
        {VIEWS.map((name) => (
          <li key={name} class={NAVIGATION[name].isInBar ? 'in-bar' : 'in-menu'}>
            <ViewLink name={name} current={current} view={view} />
          </li>
        ))}
        <li class="menu">
          <button
            type="button"
            aria-haspopup="dialog"
            class={rest.includes(current) ? 'current' : ''}
            onClick={() => setMenuOpen(true)}
          >
            <Icon of="menu" />
            <span class="name">{translate('menu')}</span>
            {hasUrgent && <span class="badge urgent" aria-hidden="true" />}
          </button>
        </li>
      </ul>
      {isMenuOpen && (
        <Dialog title={translate('menu')} close={() => setMenuOpen(false)}>
          <ul class="views menu-views" onClick={() => setMenuOpen(false)}>
            {rest.map((name) => (
              <li key={name}>
                <ViewLink name={name} current={current} view={view} />
              </li>
            ))}
            <li>
              <button type="button" onClick={openSettings}>
                <Icon of="settings" />
                <span class="name">{translate('settings')}</span>
              </button>
            </li>
          </ul>
          <div class="actions">
            <button class="button" type="button" onClick={() => setMenuOpen(false)}>
              {translate('close')}
            </button>
          </div>
        </Dialog>
      )}
    </nav>
  )
}

interface ViewLinkProps {
  readonly name: ViewName
  readonly current: ViewName
  readonly view: CountedView
}

function ViewLink({ name, current, view }: ViewLinkProps) {
  const { translate } = useTranslator()
  return (
    <a href={routeHref(name)} aria-current={name === current ? 'page' : undefined}>
      <Icon of={name} />
      <span class="name">{translate(name)}</span>
      <Badge name={name} view={view} />
    </a>
  )
}

/** A larger count is shown as `999+`. */
const MAX_COUNT = 999

function Badge({ name, view }: { readonly name: ViewName; readonly view: CountedView }) {
  const { translate, formatNumber } = useTranslator()
  const { count } = NAVIGATION[name]
  const n = count?.of(view) ?? 0
  if (count === undefined || n === 0) return null
  return (
    <>
      <span class={count.isUrgent ? 'badge urgent' : 'badge'} aria-hidden="true">
        {n > MAX_COUNT ? `${formatNumber(MAX_COUNT)}+` : formatNumber(n)}
      </span>
      <span class="unseen">, {translate(count.phrase, { n })}</span>
    </>
  )
}

function isUrgent(name: ViewName, view: CountedView): boolean {
  const { count } = NAVIGATION[name]
  return count !== undefined && count.isUrgent && count.of(view) > 0
}
