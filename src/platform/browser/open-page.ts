// A page in a browser context of its own: no cookies, permissions, downloads, service workers or other windows. Closing
// it removes all its data from the browser.

import { isObject } from '../../lib/json.js'
import { within } from '../../lib/within.js'
import { NO_BYPASS } from './arguments.js'
import type { Session } from './devtools.js'
import type { LiveBrowser } from './launch.js'
import { NOBODY_THERE } from './page-scripts.js'
import { watchPage, type PageWatch } from './page-watch.js'

const CLOSE_MS = 5000
const LANGUAGES = 'en-US,en'

export interface Page {
  readonly session: Session
  /** The ID of its main frame. */
  readonly frameId: string
  readonly watch: PageWatch
  /** Resolves to whether it was closed in time. */
  close(): Promise<boolean>
}

export async function openPage({ devtools, userAgent, proxy }: LiveBrowser): Promise<Page> {
  const { root } = devtools
  const { browserContextId } = await root.ask('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: `http://${proxy.host}:${proxy.port}`,
    proxyBypassList: NO_BYPASS,
  })
  const close = async (): Promise<boolean> =>
    (await within(CLOSE_MS, root.ask('Target.disposeBrowserContext', { browserContextId })).catch(() => ({}))) !==
    undefined
  try {
    root.tell('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
    root.tell('Browser.grantPermissions', { permissions: [], browserContextId })
    const { targetId } = await root.ask('Target.createTarget', { url: 'about:blank', browserContextId })
    const { sessionId } = await root.ask('Target.attachToTarget', { targetId, flatten: true })
    const session = devtools.session(String(sessionId))
    const activity = watchPage(session, String(targetId))
    const removeListeners = [
      root.on('Target.detachedFromTarget', (detached) => {
        if (detached.sessionId === sessionId) activity.leave('it closed itself')
      }),
      root.on('Target.targetCreated', ({ targetInfo }) => {
        if (isObject(targetInfo) && targetInfo.openerId === targetId)
          root.tell('Target.closeTarget', { targetId: targetInfo.targetId })
      }),
    ]
    await enableDomains(session, userAgent)
    return {
      session,
      frameId: String(targetId),
      watch: activity,
      close() {
        for (const removeListener of removeListeners) removeListener()
        activity.leave('it was closed')
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Images and media are not fetched. Pages that wait for their images get a single pixel. */
const BLOCKED_TYPES = ['Image', 'Media']
const PIXEL = {
  responseCode: 200,
  responseHeaders: [
    { name: 'content-type', value: 'image/gif' },
    { name: 'access-control-allow-origin', value: '*' },
  ],
  body: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
}

async function enableDomains(session: Session, userAgent: string): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId, resourceType }) => {
    if (resourceType === 'Image') session.tell('Fetch.fulfillRequest', { requestId, ...PIXEL })
    else session.tell('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
  })
  await Promise.all([
    session.ask('Page.enable'),
    // The browser keeps no copy of response bodies.
    session.ask('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.ask('Network.setBypassServiceWorker', { bypass: true }),
    session.ask('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: LANGUAGES }),
    session.ask('Inspector.enable'),
    session.ask('Page.addScriptToEvaluateOnNewDocument', { source: NOBODY_THERE }),
    session.ask('Fetch.enable', { patterns: BLOCKED_TYPES.map((resourceType) => ({ resourceType })) }),
  ])
}
