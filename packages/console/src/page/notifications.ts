// Desktop notifications of what waits for the user while the page is hidden, and the counts on the tab and on the icon of
// the installed app. Used by console-page and the settings. Shows notifications, through the service worker where there
// is one (service-worker.js opens what was clicked); changes the icon of the page.

import { changeSettings, getSettings } from './use-settings.js'

export interface PageNotification {
  /** A notification with the same key replaces the earlier one, also of another tab. */
  readonly key: string
  readonly title: string
  readonly text: string
  /** What a click opens: a URL fragment. */
  readonly href: string
}

/** Without permission the user is asked when notifications are chosen in the settings. */
export function canNotify(): boolean {
  return 'Notification' in globalThis && isSecureContext
}

export function isNotificationDenied(): boolean {
  return canNotify() && Notification.permission === 'denied'
}

/** Turns notifications on or off. The browser asks the user when they are turned on first, and not before. */
export async function switchNotifications(): Promise<void> {
  const isWanted = !getSettings().hasNotifications && canNotify()
  changeSettings({ hasNotifications: isWanted && (await Notification.requestPermission()) === 'granted' })
}

/** Notifications of this page that a service worker does not show, by key. */
const shown = new Map<string, Notification>()
const ICON = 'icon-192.png'

/** Only while the page is hidden: a visible page shows the item itself. */
export async function showNotification({ key, title, text, href }: PageNotification): Promise<void> {
  const isAllowed = canNotify() && Notification.permission === 'granted' && getSettings().hasNotifications
  if (!isAllowed || !document.hidden) return
  const options = { tag: key, body: text, icon: ICON, lang: document.documentElement.lang, data: href }
  const worker = (await findServiceWorker())?.active
  if (worker) return worker.postMessage({ type: 'notify', title, options }, [])
  const notification = new Notification(title, options)
  shown.set(key, notification)
  notification.onclose = () => shown.delete(key)
  notification.onclick = () => {
    focus()
    location.hash = href
    notification.close()
  }
}

/** What it was about was settled. */
export async function closeNotification(key: string): Promise<void> {
  shown.get(key)?.close()
  const open = (await (await findServiceWorker())?.getNotifications({ tag: key })) ?? []
  for (const notification of open) notification.close()
}

async function findServiceWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined
  return navigator.serviceWorker.getRegistration().catch(() => undefined)
}

/** On the icon of the tab. */
export function showCount(count: number): void {
  const icon = document.querySelector('link[rel=icon]')
  icon?.setAttribute(
    'href',
    count === 0 ? PLAIN_ICON : toDataUrl(COUNTED_ICON.replace('{n}', count > 9 ? '9+' : `${count}`)),
  )
}

/** On the icon of the app, where the browser can. */
export function showAppCount(count: number): void {
  if (!('setAppBadge' in navigator)) return
  // Rejected where the page is not installed.
  const done = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)
  done.catch(() => undefined)
}

const DRAWING =
  '<rect width="24" height="24" rx="6" fill="#0b6e5f"/><path d="M6 17h6a5 5 0 0 0 0-10h-2l3-3M10 7l3 3" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
const COUNTED_ICON = toSvg(
  `${DRAWING}<circle cx="16.5" cy="16.5" r="7.5" fill="#c5221f"/><text x="16.5" y="20.3" font-family="sans-serif" font-size="10.5" font-weight="700" text-anchor="middle" fill="#fff">{n}</text>`,
)
const PLAIN_ICON = toDataUrl(toSvg(DRAWING))

function toSvg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${content}</svg>`
}

function toDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
