// Opens a page in a browser context of its own (no cookies, permissions, downloads, service workers or other windows)
// and runs scripts in it. Closing it removes all its data from the browser. Used by page-renderer.ts and
// wait-until-settled.ts. Sends DevTools commands to the browser process; no other I/O.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { withTimeout } from '@scorpiox/mcp/promises'
import type { BrowserProcess } from './browser-process.js'
import { DevtoolsError, type DevtoolsSession } from './devtools.js'
import { PROXY_BYPASS_NONE } from './launch-flags.js'
import { type PageActivity, trackPageActivity } from './page-activity.js'
import { DISABLE_DIALOGS } from './page-scripts.js'

const CLOSE_MS = 5000
const LANGUAGES = 'en-US,en'

export interface BrowserPage {
  readonly session: DevtoolsSession
  /** The ID of its main frame. */
  readonly frameId: string
  readonly activity: PageActivity
  /** Resolves to whether it was closed in time. */
  close(): Promise<boolean>
}

export async function openBrowserPage({ devtools, userAgent, proxy }: BrowserProcess): Promise<BrowserPage> {
  const { root } = devtools
  const { browserContextId } = await root.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: `http://${proxy.host}:${proxy.port}`,
    proxyBypassList: PROXY_BYPASS_NONE,
  })
  const close = async (): Promise<boolean> =>
    (await withTimeout(CLOSE_MS, root.send('Target.disposeBrowserContext', { browserContextId })).catch(() => ({}))) !==
    undefined
  try {
    root.sendWithoutReply('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
    root.sendWithoutReply('Browser.grantPermissions', { permissions: [], browserContextId })
    const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', browserContextId })
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true })
    const session = devtools.session(String(sessionId))
    const activity = trackPageActivity(session, String(targetId))
    const removeListeners = [
      root.on('Target.detachedFromTarget', (detached) => {
        if (detached.sessionId === sessionId) activity.close('it closed itself')
      }),
      root.on('Target.targetCreated', ({ targetInfo }) => {
        if (isJsonObject(targetInfo) && targetInfo.openerId === targetId)
          root.sendWithoutReply('Target.closeTarget', { targetId: targetInfo.targetId })
      }),
    ]
    await enableDomains(session, userAgent)
    return {
      session,
      frameId: String(targetId),
      activity,
      close() {
        for (const removeListener of removeListeners) removeListener()
        activity.close('it was closed')
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

async function enableDomains(session: DevtoolsSession, userAgent: string): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId, resourceType }) => {
    if (resourceType === 'Image') session.sendWithoutReply('Fetch.fulfillRequest', { requestId, ...PIXEL })
    else session.sendWithoutReply('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
  })
  await Promise.all([
    session.send('Page.enable'),
    // The browser keeps no copy of response bodies.
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: LANGUAGES }),
    session.send('Inspector.enable'),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: DISABLE_DIALOGS }),
    session.send('Fetch.enable', { patterns: BLOCKED_TYPES.map((resourceType) => ({ resourceType })) }),
  ])
}

/**
 * Runs a script in the current document of a page, in an isolated world that the scripts of the page cannot change.
 * Undefined if the document was replaced meanwhile, or the script failed.
 */
export async function evaluateInPage(
  { session, frameId }: BrowserPage,
  script: string,
  input: unknown,
): Promise<JsonObject | undefined> {
  try {
    const world = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'scorpiox' })
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      contextId: world.executionContextId,
      expression: `(${script})(${JSON.stringify(input)})`,
      awaitPromise: true,
      returnByValue: true,
    })
    return exceptionDetails === undefined && isJsonObject(result) && isJsonObject(result.value)
      ? result.value
      : undefined
  } catch (error) {
    if (error instanceof DevtoolsError) return undefined
    throw error
  }
}
