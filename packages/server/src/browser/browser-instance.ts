// One browser process of the pool, with its limits: a page process above maxPageBytes is killed; the instance is
// exhausted after maxPages pages or maxBytes of memory. Created by browser-pool, which launches the process. While
// pages are open, reads the memory of the processes from /proc on a timer.

import { readFile } from 'node:fs/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { FetchFailure } from '../guarded-fetch/fetch-failure.js'
import { signalProcess } from '../process/signals.js'
import { rejectOnAbort } from '../async/timeouts.js'
import type { BrowserProcess } from './browser-process.js'
import { type RenderedPage, renderInBrowser, type RenderOptions } from './page-renderer.js'

const MEMORY_CHECK_MS = 500

export interface BrowserLimits {
  /** Pages after which the browser is replaced. */
  readonly maxPages: number
  /** Memory after which the browser is replaced. */
  readonly maxBytes: number
  /** Memory above which a page process is killed. */
  readonly maxPageBytes: number
}

export interface BrowserInstance {
  readonly isExhausted: boolean
  readonly isBusy: boolean
  /** The process has exited, or could not be started. */
  readonly hasExited: boolean
  render(url: string, options: RenderOptions): Promise<RenderedPage>
  close(): Promise<void>
}

export function createBrowserInstance(
  launch: Promise<BrowserProcess>,
  limits: BrowserLimits,
  onExit: () => void,
): BrowserInstance {
  let pageCount = 0
  let activePages = 0
  let exceedsMemoryLimit = false
  let isCheckingMemory = false
  let hasExited = false
  let browser: BrowserProcess | undefined
  let timer: NodeJS.Timeout | undefined
  const handleExit = (): void => {
    hasExited = true
    onExit()
  }
  launch.then((browserProcess) => {
    browser = browserProcess
    void browserProcess.exited.then(handleExit)
  }, handleExit)

  async function checkMemory(browserProcess: BrowserProcess): Promise<void> {
    if (isCheckingMemory || browserProcess.hasExited) return
    isCheckingMemory = true
    try {
      const processes = await readBrowserMemory(browserProcess)
      for (const { pid, isPage, bytes } of processes)
        if (isPage && bytes > limits.maxPageBytes) signalProcess(pid, 'SIGKILL')
      exceedsMemoryLimit ||= processes.reduce((sum, { bytes }) => sum + bytes, 0) > limits.maxBytes
    } catch (error) {
      // The browser has exited meanwhile.
      if (!(error instanceof Failure)) throw error
    } finally {
      isCheckingMemory = false
    }
  }

  return {
    get isExhausted() {
      return exceedsMemoryLimit || pageCount >= limits.maxPages
    },
    get isBusy() {
      return activePages > 0
    },
    get hasExited() {
      return hasExited || browser?.hasExited === true
    },
    async render(url, options) {
      pageCount++
      activePages++
      try {
        const browserProcess = await rejectOnCancel(launch, options.signal)
        timer ??= setInterval(() => void checkMemory(browserProcess), MEMORY_CHECK_MS).unref()
        return await renderInBrowser(browserProcess, url, options)
      } finally {
        activePages--
        if (activePages === 0) {
          clearInterval(timer)
          timer = undefined
        }
      }
    },
    async close() {
      const browserProcess = await launch.catch(() => undefined)
      await browserProcess?.close()
    },
  }
}

/** Stops waiting for the browser when the request is cancelled. */
function rejectOnCancel<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return signal ? rejectOnAbort(work, signal, () => new FetchFailure('aborted', 'The request was cancelled.')) : work
}

const PAGE_BYTES = 4096

interface ProcessMemory {
  readonly pid: number
  readonly isPage: boolean
  readonly bytes: number
}

/** Reads the private memory of each browser process. Without /proc, nothing is known. */
export async function readBrowserMemory({ devtools }: BrowserProcess): Promise<readonly ProcessMemory[]> {
  const { processInfo } = await devtools.root.send('SystemInfo.getProcessInfo')
  if (!Array.isArray(processInfo)) return []
  const processes = processInfo
    .filter(isJsonObject)
    .map(({ id, type }) => ({ pid: Number(id), isPage: type === 'renderer' }))
  // Values up to 1 are not the pid of a browser process.
  const real = processes.filter(({ pid }) => Number.isInteger(pid) && pid > 1)
  return Promise.all(
    real.map(async (browserProcess) =>
      Object.assign(browserProcess, { bytes: await privateBytes(browserProcess.pid) }),
    ),
  )
}

async function privateBytes(pid: number): Promise<number> {
  try {
    const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'latin1')).split(' ').map(Number)
    return (resident - shared) * PAGE_BYTES
  } catch {
    return 0
  }
}
