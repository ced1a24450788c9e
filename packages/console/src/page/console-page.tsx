// The console after login: navigation, current view, banners, notifications and dialogs of the frame. Rendered by main.tsx.
// Opens the event stream and sends actions through use-console.ts; sets the title, focus and scroll position of the
// document.

import type { FunctionComponent, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { type AskedItem, listAsked } from '../asked-items.js'
import { jobKey } from '../i18n/job-ending.js'
import type { TranslationKey } from '../i18n/translator.js'
import type { ConsoleView, JobView } from '../view.js'
import type { LoginKind } from './api.js'
import type { StoredLogin } from './auth-token.js'
import { findLoginKind } from './browser-login.js'
import { ProblemList, ToastList, useToasts } from './components/alerts.js'
import { ConnectionBanner, GoneServersBanner } from './components/banners.js'
import { ConnectionIndicator, LoadingScreen } from './components/connection.js'
import { FrameKeys } from './components/frame-keys.js'
import { Brand } from './components/header.js'
import { Icon } from './components/icon.js'
import { Keys, KeysDialog } from './components/keys.js'
import { Navigation } from './components/navigation.js'
import type { PaletteProps } from './components/palette.js'
import { SettingsDialog } from './components/settings-dialog.js'
import { projectNameOf } from './components/text.js'
import { findFocusedCard, type SettledHandler } from './components/view-frame.js'
import { useHiddenItems } from './hidden-items.js'
import type { LogoutReason } from './login.js'
import { closeNotification, showAppCount, showCount, showNotification } from './notifications.js'
import { usePageActivity } from './page-activity.js'
import { type Route, routeHref, type ViewName, useRoute } from './route.js'
import { rememberServers } from './server-projects.js'
import { playSound } from './sound.js'
import { ActionProvider, JobOutputProvider, useActionRunner, useConsole, useJobOutputFetcher } from './use-console.js'
import { ServersProvider, useServerStates } from './use-servers.js'
import { getSettings } from './use-settings.js'
import { useTranslator } from './use-translator.js'
import { CallbacksView } from './views/callbacks.js'
import { CallsView } from './views/calls.js'
import { countHomeItems } from './views/home-news.js'
import { HomeView } from './views/home.js'
import { JobsView } from './views/jobs.js'
import { PlansView } from './views/plans.js'
import { TasksView } from './views/tasks.js'
import { ToolsView } from './views/tools.js'

interface ConsolePageProps {
  readonly login: StoredLogin
  readonly logOut: () => void
  /** The server does not accept the token, or not any more. */
  readonly onDenied: (reason: LogoutReason) => void
  /** The server has accepted the token. */
  readonly onLive: () => void
  readonly chooseLanguage: (language: string) => void
}

type FrameDialog = 'settings' | 'keys' | 'palette'

export function ConsolePage({ login, logOut, onDenied, onLive, chooseLanguage }: ConsolePageProps) {
  const { translate } = useTranslator()
  const route = useRoute()
  const { toasts, notify, close } = useToasts()
  const [announced, announce] = useState('')
  const [dialog, openDialog] = useState<FrameDialog>()
  /** Not one that was opened meanwhile: browsers report late that a dialog was closed. */
  const closeDialog = (closed: FrameDialog): void => openDialog((open) => (open === closed ? undefined : open))
  const kind = useLoginKind()
  const readOutput = useJobOutputFetcher(login.token)
  const act = useActionRunner(login.token, () => onDenied('expired'))
  const alertUser = useAlerts()
  const { view, connection, lost, retry } = useConsole(login.token, {
    onDenied: (wasLive) => onDenied(wasLive ? 'expired' : login.byLink ? 'link' : 'wrong'),
    onAsked(item) {
      announce(translate('questionNew', { question: item.title }))
      alertUser.asked(item)
    },
    onAskedGone(item, isSettledHere) {
      if (!isSettledHere) notify(translate('questionGone', { question: item.title }))
      void closeNotification(item.key)
    },
    onJobFailed: (job) => alertUser.jobFailed(job),
  })
  useEffect(() => {
    if (connection.state === 'live') onLive()
  }, [login.token, connection.state === 'live'])
  useEffect(() => rememberServers(view?.servers ?? []), [view?.servers])
  const servers = useServerStates(view?.servers ?? [], connection.state === 'live')
  const { isHidden } = useHiddenItems()
  const homeItems = view === undefined ? 0 : countHomeItems(view, isHidden)
  useTitle(translate(route.view), view === undefined ? 0 : listAsked(view).length)
  const main = useFocusOnRouteChange(route.view)
  useFocusOnItem(route, view !== undefined)

  /** Moves the focus before the form that has it disappears, but not from another card that is typed into meanwhile. */
  const onSettled: SettledHandler = (text, card) => {
    notify(text, true)
    const focused = findFocusedCard()
    if (focused === null || focused === card) main.current?.focus({ preventScroll: true })
  }

  if (view === undefined) return <LoadingScreen connection={connection} kind={kind} retry={retry} logOut={logOut} />
  return (
    <ActionProvider value={act}>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        {translate('skip')}
      </a>
      <FrameKeys openPalette={() => openDialog('palette')} openKeys={() => openDialog('keys')} />
      <div class="frame">
        <header class="side">
          <Brand />
          <HeaderButton icon="search" label="search" keys="Control+k" open={() => openDialog('palette')} />
          <Navigation current={route.view} view={{ ...view, homeItems }} openSettings={() => openDialog('settings')} />
          <div class="side-end">
            <ConnectionIndicator connection={connection} />
            <HeaderButton icon="settings" label="settings" open={() => openDialog('settings')} />
          </div>
        </header>
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          class={connection.state === 'live' ? `view-${route.view}` : `view-${route.view} offline`}
        >
          {lost !== undefined && <ConnectionBanner lost={lost} kind={kind} retry={retry} />}
          <GoneServersBanner servers={view.servers} />
          <ToastList toasts={toasts} close={close} />
          <ProblemList problems={view.problems} />
          <ServersProvider value={servers}>
            <JobOutputProvider value={readOutput}>{VIEWS[route.view](view, onSettled, route)}</JobOutputProvider>
          </ServersProvider>
        </main>
      </div>
      {dialog === 'palette' && (
        <LazyPalette
          view={view}
          close={() => closeDialog('palette')}
          openDialog={openDialog}
          chooseLanguage={chooseLanguage}
          logOut={logOut}
          onUnavailable={() => {
            closeDialog('palette')
            notify(translate('unreachable'), true)
          }}
        />
      )}
      {dialog === 'keys' && <KeysDialog close={() => closeDialog('keys')} />}
      {dialog === 'settings' && (
        <SettingsDialog close={() => closeDialog('settings')} chooseLanguage={chooseLanguage} logOut={logOut} />
      )}
      <p class="unseen" role="status" aria-live="polite">
        {announced}
      </p>
    </ActionProvider>
  )
}

type RenderView = (view: ConsoleView, onSettled: SettledHandler, route: Route) => VNode

const VIEWS: Readonly<Record<ViewName, RenderView>> = {
  home: (view, onSettled) => <HomeView view={view} onSettled={onSettled} />,
  jobs: ({ jobs }) => <JobsView jobs={jobs} />,
  plans: ({ projects, approvals }, onSettled, { path }) => (
    <PlansView projects={projects} approvals={approvals} path={path} onSettled={onSettled} />
  ),
  tasks: ({ projects, servers }, _onSettled, { path, query: { text = '' } }) => (
    <TasksView text={text} projects={projects} served={servers.map(({ project }) => project)} path={path} />
  ),
  callbacks: ({ callbacks, messages }) => <CallbacksView callbacks={callbacks} messages={messages} />,
  calls: (view, _onSettled, { path, query }) => <CallsView view={view} path={path} query={query} />,
  tools: ({ servers }) => <ToolsView servers={servers} />,
}

interface HeaderButtonProps {
  readonly icon: 'settings' | 'search'
  readonly label: TranslationKey
  readonly keys?: string
  readonly open: () => void
}

function HeaderButton({ icon, label, keys, open }: HeaderButtonProps) {
  const { translate } = useTranslator()
  return (
    <button class={`head-button ${icon}`} type="button" aria-haspopup="dialog" onClick={open}>
      <Icon of={icon} />
      <span class="name">{translate(label)}</span>
      {keys !== undefined && <Keys keys={keys} />}
    </button>
  )
}

interface LazyPaletteProps extends PaletteProps {
  /** Its code cannot be loaded. */
  readonly onUnavailable: () => void
}

function LazyPalette({ onUnavailable, ...props }: LazyPaletteProps) {
  const [Loaded, setLoaded] = useState<FunctionComponent<PaletteProps>>()
  useEffect(() => {
    import('./components/palette.js').then(({ Palette }) => setLoaded(() => Palette), onUnavailable)
  }, [])
  return Loaded === undefined ? null : <Loaded {...props} />
}

function useLoginKind(): LoginKind | undefined {
  const [kind, setKind] = useState<LoginKind>()
  useEffect(() => {
    void findLoginKind().then(setKind)
  }, [])
  return kind
}

const ASKED_TITLES: Readonly<Record<AskedItem['kind'], TranslationKey>> = {
  secret: 'notifySecret',
  approval: 'notifyApproval',
  question: 'notifyQuestion',
}

/** Tells the user of what is new, by sound and notification, as the settings say. */
function useAlerts() {
  const { translate } = useTranslator()
  return {
    asked({ key, kind, title }: AskedItem): void {
      if (getSettings().hasSound) playSound()
      void showNotification({ key, title: translate(ASKED_TITLES[kind]), text: title, href: routeHref('home', key) })
    },
    jobFailed(job: JobView): void {
      if (getSettings().hasSound) playSound()
      const title = translate('notifyJobFailed', { id: `${job.id}`, project: projectNameOf(job.project) })
      void showNotification({
        key: jobKey(job),
        title,
        text: job.command.slice(0, 200),
        href: routeHref('jobs', job.server, job.id),
      })
    },
  }
}

/** Without a count while the page is disconnected in the background: it would be outdated. */
function useTitle(name: string, waiting: number): void {
  const { formatNumber } = useTranslator()
  const isActive = usePageActivity() !== 'disconnected'
  const shown = isActive ? waiting : 0
  useEffect(() => {
    document.title = `${shown > 0 ? `(${formatNumber(shown)}) ` : ''}${name} · scorpiox-code`
  }, [name, shown, formatNumber])
  useEffect(() => showCount(shown), [shown])
  useEffect(() => {
    if (isActive) showAppCount(waiting)
  }, [waiting, isActive])
}

/** Moves focus and scroll position to the new view, for keyboard and screen reader users. */
function useFocusOnRouteChange(view: ViewName) {
  const main = useRef<HTMLElement>(null)
  const before = useRef(view)
  // Before the effects of the view, which may scroll to what is open in it.
  useLayoutEffect(() => {
    if (before.current !== view) scrollTo(0, 0)
  }, [view])
  useEffect(() => {
    if (before.current !== view) main.current?.focus({ preventScroll: true })
    before.current = view
  }, [view])
  return main
}

/** Home has no address for an item: a notification and the command palette name it, and it gets the focus once. */
function useFocusOnItem({ view, path: [key] }: Route, isLoaded: boolean): void {
  useEffect(() => {
    if (view !== 'home' || key === undefined || !isLoaded) return
    const item = document.querySelector<HTMLElement>(`main [data-key="${CSS.escape(key)}"]`)
    item?.focus({ preventScroll: true })
    item?.scrollIntoView({ block: 'start' })
    history.replaceState(null, '', routeHref('home'))
  }, [view, key, isLoaded])
}

/** Does not follow the link, because the URL fragment selects the view. */
function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault()
  target?.focus()
}
