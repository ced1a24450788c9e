// Makes the page installable as an app, on the user's own machine only: elsewhere the service worker would outlive the
// access to the server, and its notifications would come from an address of no meaning to the user. Started by main.tsx;
// the settings offer the installation. Registers the service worker; adds the manifest; follows clicked notifications.

import { useEffect, useState } from 'preact/hooks'

import { isLocalPage } from './api.js'

/** What Chromium dispatches if the page can be installed. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>
}

const listeners = new Set<() => void>()
let offer: InstallEvent | undefined

export function startApp(): void {
  if (!isLocalPage() || !isSecureContext || !('serviceWorker' in navigator)) return
  const manifest = document.createElement('link')
  manifest.rel = 'manifest'
  manifest.href = 'manifest.webmanifest'
  document.head.append(manifest)
  // Without it, notifications and the page itself work as long as the server runs.
  navigator.serviceWorker.register('service-worker.js').catch(() => undefined)
  navigator.serviceWorker.addEventListener('message', ({ data }) => openClicked(data))
  addEventListener('beforeinstallprompt', (event) => {
    if (!isInstallEvent(event)) return
    event.preventDefault()
    setOffer(event)
  })
  addEventListener('appinstalled', () => setOffer(undefined))
}

/** Undefined if the browser does not offer to install the page, or it is installed. */
export function useInstallation(): (() => void) | undefined {
  const [current, setCurrent] = useState(offer)
  useEffect(() => {
    const update = (): void => setCurrent(offer)
    update()
    listeners.add(update)
    return () => void listeners.delete(update)
  }, [])
  // The event can be used once.
  return current && (() => void current.prompt().finally(() => setOffer(undefined)))
}

function setOffer(next: InstallEvent | undefined): void {
  offer = next
  listeners.forEach((listener) => listener())
}

function isInstallEvent(event: Event): event is InstallEvent {
  return 'prompt' in event && typeof event.prompt === 'function'
}

/** From the service worker: a notification was clicked. */
function openClicked(data: unknown): void {
  const href = typeof data === 'object' && data !== null && 'href' in data ? data.href : undefined
  if (typeof href === 'string' && href.startsWith('#/')) location.hash = href
}
