// The service worker of the page, registered by install-app.ts on the user's own machine: keeps the public files of the page,
// so that the page can say how to start a server that does not run, and shows notifications. It keeps no data: requests of
// the console are not handled here. Built to service-worker.js. Writes the cache; shows notifications; opens the page.

declare const self: ServiceWorkerGlobalScope

const CACHE = 'page'
/** Everything that the page needs until it has data. */
const FILES = ['./', 'page.js', 'page.css', 'palette.js', 'icon-192.png']
const URLS = new Set(FILES.map((file) => new URL(file, self.registration.scope).href))

self.addEventListener('install', (event) => event.waitUntil(install()))
self.addEventListener('activate', (event) => event.waitUntil(activate()))
self.addEventListener('fetch', (event) => {
  const { method, url, destination } = event.request
  if (method !== 'GET') return
  if (URLS.has(url.replace(/#.*/, ''))) event.respondWith(fetchFirst(event.request))
  else if (destination === 'script' || destination === 'style') event.respondWith(fetchFromServer(event.request))
})
self.addEventListener('message', (event) => {
  const { data, source } = event
  const notification = parseNotification(data)
  if (notification && source && 'id' in source) event.waitUntil(showUnlessVisible(notification, source.id))
})
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const href: unknown = event.notification.data
  event.waitUntil(openPage(typeof href === 'string' && href.startsWith('#/') ? href : '#/'))
})

let hasPredecessor = false

async function install(): Promise<void> {
  hasPredecessor = self.registration.active !== null
  await caches.delete(CACHE)
  // Not from the cache of the browser, whose files may be of another program that has used the port.
  const requests = FILES.map((file) => new Request(file, { cache: 'reload' }))
  await (await caches.open(CACHE)).addAll(requests)
  await self.skipWaiting()
}

/** Pages that the worker before has served are loaded again: it may have been that of another program. */
async function activate(): Promise<void> {
  await self.clients.claim()
  if (!hasPredecessor) return
  const pages = await self.clients.matchAll({ type: 'window' })
  // Not awaited: their requests come here, and wait until this worker is active.
  for (const page of pages) page.navigate(page.url).catch(() => null)
}

/** From the server, whose files may be newer; from the cache if no server responds. */
async function fetchFirst(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetchFromServer(request)
    if (response.ok) await cache.put(request, response.clone())
    return response
  } catch (error) {
    const cached = await cache.match(request)
    if (cached) return cached
    throw error
  }
}

/** Asks the server whether the file in the cache of the browser is its own. */
function fetchFromServer(request: Request): Promise<Response> {
  return fetch(request, { cache: 'no-cache' })
}

interface PageNotification {
  readonly title: string
  readonly options: NotificationOptions
}

function parseNotification(data: unknown): PageNotification | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { type, title, options } = Object.fromEntries<unknown>(Object.entries(data))
  if (type !== 'notify' || typeof title !== 'string' || typeof options !== 'object') return undefined
  return { title, options: { ...options } }
}

/** Another tab or window of the page may be visible, and shows the item itself. */
async function showUnlessVisible({ title, options }: PageNotification, sender: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window' })
  if (pages.some(({ id, visibilityState }) => id !== sender && visibilityState === 'visible')) return
  await self.registration.showNotification(title, options)
}

async function openPage(href: string): Promise<void> {
  const [page] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!page) return void (await self.clients.openWindow(`./${href}`))
  page.postMessage({ type: 'open', href }, [])
  // Refused if the browser does not count it as a click.
  await page.focus().catch(() => undefined)
}
