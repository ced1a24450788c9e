// What the command palette offers: what waits for the user, views, jobs, tasks, plans, callbacks, servers, calls, projects and
// actions of the page; the ones that fit a query, best first; and searches of everything that is not in the view. Used by palette.tsx. Pure: an item says what to do when it is chosen.

import { listAsked } from '../../asked-items.js'
import { type Language, LANGUAGES, type Translator } from '../../i18n/translator.js'
import type { ConsoleView } from '../../view.js'
import { routeHref, VIEWS, withQuery } from '../route.js'
import { type Settings, type Theme, THEME_NAMES, THEMES } from '../use-settings.js'
import { scoreMatch } from './fuzzy.js'
import type { IconName } from './icon.js'
import { NAVIGATION } from './navigation.js'
import { projectNameOf } from './text.js'

export interface PaletteItem {
  /** Unique among all items. */
  readonly key: string
  readonly icon: IconName
  readonly label: string
  /** From a model or a user, with a direction of its own. */
  readonly isUntrusted?: boolean
  /** What kind of item it is, and its project. */
  readonly detail: string
  /** The keys that do the same. */
  readonly keys?: string
  readonly choice: PaletteChoice
}

export type PaletteChoice =
  | { readonly type: 'open'; readonly href: string }
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'theme'; readonly theme: Theme }
  | { readonly type: 'language'; readonly language: Language }
  | { readonly type: 'notifications' | 'sound' | 'settings' | 'keys' | 'logOut' }

/** More are not shown: a longer query finds them. */
const MAX_RESULTS = 50

export function findItems(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  if (query.trim() === '') return items.slice(0, MAX_RESULTS)
  return items
    .flatMap((item) => {
      const score = scoreMatch(query, `${item.label} ${item.detail}`)
      return score === undefined ? [] : [{ item, score }]
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ item }) => item)
}

/** The views that find what the palette does not know: earlier calls, and tasks that are not among the first. */
export function listSearches(query: string, { translate }: Translator): readonly PaletteItem[] {
  const text = query.trim()
  if (text === '') return []
  const toItem = (view: 'calls' | 'tasks', label: string): PaletteItem => ({
    key: `search ${view}`,
    icon: 'search',
    label,
    detail: translate('paletteAction'),
    choice: { type: 'open', href: withQuery(routeHref(view), { text }) },
  })
  return [
    toItem('calls', translate('paletteSearchCalls', { text })),
    toItem('tasks', translate('paletteSearchTasks', { text })),
  ]
}

interface PaletteSource {
  readonly view: ConsoleView
  readonly settings: Settings
  readonly canNotify: boolean
}

/** In the order in which they are shown without a query. */
export function listItems({ view, ...page }: PaletteSource, translator: Translator): readonly PaletteItem[] {
  return [
    ...listWaiting(view, translator),
    ...listViews(translator),
    ...listJobs(view, translator),
    ...listActions(page, translator),
    ...listTasks(view, translator),
    ...listPlans(view, translator),
    ...listCallbacks(view, translator),
    ...listServers(view, translator),
    ...listProjects(view, translator),
    ...listCalls(view, translator),
  ]
}

function listWaiting(view: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return listAsked(view).map(({ key, title, project, client }) => ({
    key,
    icon: 'home',
    label: title,
    isUntrusted: true,
    detail: [translate('paletteWaiting'), projectNameOf(project), ...(client === undefined ? [] : [client])].join(
      ' · ',
    ),
    choice: { type: 'open', href: routeHref('home', key) },
  }))
}

function listViews({ translate }: Translator): readonly PaletteItem[] {
  return VIEWS.map((name) => ({
    key: `view ${name}`,
    icon: name,
    label: translate(name),
    detail: translate('paletteView'),
    keys: `g ${NAVIGATION[name].key}`,
    choice: { type: 'open', href: routeHref(name) },
  }))
}

function listJobs({ jobs }: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return jobs
    .toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning) || b.startedAt - a.startedAt)
    .map(({ server, project, id, command, isRunning }) => ({
      key: `job ${server} ${id}`,
      icon: 'jobs',
      label: command,
      isUntrusted: true,
      detail: [
        translate('paletteJob', { id: `${id}` }),
        translate(isRunning ? 'running' : 'ended'),
        projectNameOf(project),
      ].join(' · '),
      choice: { type: 'open', href: routeHref('jobs', server, id) },
    }))
}

function listTasks({ projects }: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return projects.flatMap(({ project, tasks }) =>
    tasks.map(({ id, name }) => ({
      key: `task ${project} ${id}`,
      icon: 'tasks' as const,
      label: name,
      isUntrusted: true,
      detail: `${translate('paletteTask', { id: `${id}` })} · ${projectNameOf(project)}`,
      choice: { type: 'open', href: routeHref('tasks', project, id) } as const,
    })),
  )
}

function listPlans({ projects }: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return projects.flatMap(({ project, plan }) =>
    plan === null
      ? []
      : {
          key: `plan ${project}`,
          icon: 'plans' as const,
          label: plan.goal === '' ? projectNameOf(project) : plan.goal,
          isUntrusted: true,
          detail: `${translate('palettePlan')} · ${projectNameOf(project)}`,
          choice: { type: 'open', href: routeHref('plans', project) } as const,
        },
  )
}

function listCallbacks({ callbacks }: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return callbacks.map(({ project, session, slot, message }) => ({
    key: `callback ${project} ${session} ${slot}`,
    icon: 'callbacks',
    label: message,
    isUntrusted: true,
    detail: `${translate('paletteCallback')} · ${projectNameOf(project)}`,
    choice: { type: 'open', href: routeHref('callbacks') },
  }))
}

function listServers({ servers }: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return servers.map(({ id, project, pid, transport }) => ({
    key: `server ${id}`,
    icon: 'tools',
    label: `${projectNameOf(project)} (${pid})`,
    isUntrusted: true,
    detail: `${translate('paletteServer')} · ${transport} · ${project}`,
    choice: { type: 'open', href: routeHref('tools') },
  }))
}

function listCalls({ calls }: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  return calls.map(({ id, project, tool, about }) => ({
    key: `call ${project} ${id}`,
    icon: 'calls',
    label: `${tool} ${about}`,
    isUntrusted: true,
    detail: `${translate('paletteCall')} · ${projectNameOf(project)}`,
    choice: { type: 'open', href: routeHref('calls', id) },
  }))
}

/** A project narrows the search to what belongs to it. */
function listProjects(view: ConsoleView, { translate }: Translator): readonly PaletteItem[] {
  const { servers, jobs, projects, calls } = view
  const paths = new Set([...servers, ...projects, ...jobs, ...calls].map(({ project }) => project))
  return Array.from(paths, (path) => ({
    key: `project ${path}`,
    icon: 'search',
    label: projectNameOf(path),
    isUntrusted: true,
    detail: `${translate('paletteProject')} · ${path}`,
    choice: { type: 'search', query: `${projectNameOf(path)} ` },
  }))
}

function listActions(
  { settings, canNotify }: Omit<PaletteSource, 'view'>,
  { translate, language }: Translator,
): readonly PaletteItem[] {
  const detail = translate('paletteAction')
  const toAction = (type: 'settings' | 'keys' | 'logOut', icon: IconName, keys?: string): PaletteItem => ({
    key: type,
    icon,
    label: translate(type),
    detail,
    ...(keys !== undefined && { keys }),
    choice: { type },
  })
  const toSwitch = (type: 'notifications' | 'sound', isOn: boolean): PaletteItem => ({
    key: type,
    icon: 'settings',
    label: `${translate(type)}: ${translate(isOn ? 'turnOff' : 'turnOn')}`,
    detail,
    choice: { type },
  })
  return [
    toAction('settings', 'settings'),
    toAction('keys', 'search', '?'),
    ...(canNotify ? [toSwitch('notifications', settings.hasNotifications)] : []),
    toSwitch('sound', settings.hasSound),
    ...THEMES.filter((theme) => theme !== settings.theme).map((theme) => ({
      key: `theme ${theme}`,
      icon: 'settings' as const,
      label: `${translate('theme')}: ${translate(THEME_NAMES[theme])}`,
      detail,
      choice: { type: 'theme', theme } as const,
    })),
    ...LANGUAGES.filter((each) => each.language !== language).map((each) => ({
      key: `language ${each.language}`,
      icon: 'settings' as const,
      label: `${translate('language')}: ${each.name}`,
      detail,
      choice: { type: 'language', language: each.language } as const,
    })),
    toAction('logOut', 'settings'),
  ]
}
