// Renders pages for the document reader in one browser process, which is shared by all pages: started by the first
// page, closed when idle, replaced when exhausted or dead. A limited number of pages is open at once; others wait.
// Sets timers.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../config/load-config.js'
import { getStateDir } from '../config/paths.js'
import { listWritableRoots } from '../config/writable-roots.js'
import { FetchFailure } from '../guarded-fetch/fetch-failure.js'
import type { GuardedFetch } from '../guarded-fetch/guarded-fetch.js'
import { createTrustedEnvironment } from '../process/trusted-program.js'
import { createTimeoutSignal } from '../async/timeouts.js'
import { createSemaphore } from '../async/concurrency.js'
import { type BrowserInstance, type BrowserLimits, createBrowserInstance } from './browser-instance.js'
import { type BrowserProcess, launchBrowser } from './browser-process.js'
import { findBrowser } from './find-browser.js'
import type { PageRenderer, RenderedPage, RenderOptions } from './page-renderer.js'

const IDLE_MS = 300_000
const MAX_ACTIVE_PAGES = 4
const MB = 1024 * 1024
const DEFAULT_LIMITS: BrowserLimits = { maxPages: 100, maxBytes: 600 * MB, maxPageBytes: 1024 * MB }

export interface BrowserPoolOptions {
  readonly launch: () => Promise<BrowserProcess>
  readonly idleMs?: number
  readonly limits?: Partial<BrowserLimits>
}

export function createBrowserPool({ launch, idleMs = IDLE_MS, limits }: BrowserPoolOptions): PageRenderer {
  const semaphore = createSemaphore(MAX_ACTIVE_PAGES)
  const instances = new Set<BrowserInstance>()
  const closed = new AbortController()
  let current: BrowserInstance | undefined
  let idleTimer: NodeJS.Timeout | undefined

  function startInstance(): BrowserInstance {
    const instance = createBrowserInstance(launch(), { ...DEFAULT_LIMITS, ...limits }, () => {
      instances.delete(instance)
      if (current === instance) current = undefined
    })
    instances.add(instance)
    return instance
  }

  function scheduleIdleClose(instance: BrowserInstance): void {
    if (instance.isBusy) return
    if (current === instance && !instance.isExhausted) idleTimer = setTimeout(() => retire(instance), idleMs).unref()
    else retire(instance)
  }

  /** Closes the instance; new pages start another one. */
  function retire(instance: BrowserInstance): void {
    if (current === instance) current = undefined
    void instance.close()
  }

  /** Retries once if the browser died, because another page may have crashed it. */
  async function renderWithRetry(url: string, options: RenderOptions, canRetry = true): Promise<RenderedPage> {
    clearTimeout(idleTimer)
    if (current && (current.isExhausted || current.hasExited)) current = undefined
    const instance = (current ??= startInstance())
    try {
      return await instance.render(url, options)
    } catch (error) {
      if (!(error instanceof FetchFailure) || !instance.hasExited || !canRetry || isCancelled(options)) throw error
    } finally {
      scheduleIdleClose(instance)
    }
    return renderWithRetry(url, options, false)
  }

  function isCancelled({ signal }: RenderOptions): boolean {
    return closed.signal.aborted || signal?.aborted === true
  }

  return {
    async render(url, options) {
      const waitLimit = createTimeoutSignal(options.maxMs, [closed.signal, options.signal])
      const release = await semaphore.acquire(waitLimit.signal).finally(waitLimit.clear)
      try {
        if (closed.signal.aborted) throw new Failure('The browser is being closed.')
        if (isCancelled(options)) throw new FetchFailure('aborted', `The request for ${url} was cancelled`)
        if (!release)
          throw new FetchFailure('timeout', `The browser was busy with other pages for ${options.maxMs} ms; try again`)
        return await renderWithRetry(url, options)
      } finally {
        release?.()
      }
    },
    async close() {
      closed.abort()
      clearTimeout(idleTimer)
      await Promise.all([...instances].map((instance) => instance.close()))
    },
  }
}

interface OpenBrowserPoolDeps {
  readonly config: Config
  readonly guardedFetch: Pick<GuardedFetch, 'proxy'>
  readonly log: Log
}

/** The browser is located and started by the first page. */
export function openBrowserPool({ config, guardedFetch, log }: OpenBrowserPoolDeps): PageRenderer {
  const { settings, childEnv: env } = config
  const { BROWSER_PATH: browserPath, SANDBOX: sandbox } = settings
  const unpackIn = (): string => join(getStateDir(settings), 'browser')
  return createBrowserPool({
    async launch() {
      const writableRoots = listWritableRoots(config)
      const file = await findBrowser({ browserPath, env, writableRoots, isSandboxOff: sandbox === 'off', unpackIn })
      // Many installations start the browser by a shell script, which runs other programs by their names.
      const trustedEnv = createTrustedEnvironment(env, writableRoots)
      const live = await launchBrowser({ file, env: trustedEnv, proxy: await guardedFetch.proxy() })
      log.debug(`browser: started ${file} (pid ${live.pid})${live.isSandboxed ? '' : ', Chromium sandbox disabled'}`)
      return live
    },
  })
}
