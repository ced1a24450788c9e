// The shared browser: many concurrent callers, idle time, restarts after much use, crashes, unusable programs, and the
// sudden end of its parent.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { type BrowserPoolOptions, createBrowserPool } from '@scorpiox/server/browser/browser-pool'
import { type BrowserProcess, launchBrowser, removeAbandonedProfiles } from '@scorpiox/server/browser/browser-process'
import type { PageRenderer } from '@scorpiox/server/browser/page-renderer'
import type { GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'
import { emptyFolder } from '../support/client.js'
import {
  browserFile,
  guardedFetchTo,
  HAS_BROWSER,
  launchOne,
  openSite,
  processesOf,
  profilesOf,
  PROSE,
  RENDER_OPTIONS,
  type Site,
  wordsOf,
} from './browser-support.js'

function kill(live: BrowserProcess | undefined): void {
  if (!live || live.pid < 2) throw new Error('there is no such browser')
  process.kill(live.pid, 'SIGKILL')
}

describe.runIf(HAS_BROWSER)('a warm browser', () => {
  let site: Site
  let way: GuardedFetch

  beforeAll(async () => {
    site = await openSite({ '/page': PROSE, '/silent': () => {} })
    way = guardedFetchTo(site)
  })

  afterAll(async () => {
    await Promise.all([way?.close(), site?.close()])
  })

  /** With every browser that it started. */
  function open(options: Partial<BrowserPoolOptions> = {}): { browser: PageRenderer; started: BrowserProcess[] } {
    const started: BrowserProcess[] = []
    let launches = 0
    const launch = async (): Promise<BrowserProcess> => {
      const number = launches++
      return (started[number] = await launchOne(way))
    }
    const browser = createBrowserPool({ launch, ...options })
    onTestFinished(() => browser.close())
    return { browser, started }
  }

  const read = async (browser: PageRenderer, path = '/page'): Promise<string> =>
    wordsOf((await browser.render(`${site.origin}${path}`, RENDER_OPTIONS)).html)

  test('is one for twenty concurrent reads, and each gets its own page', async () => {
    const { browser, started } = open()
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    for (const number of numbers)
      site.routes.set(`/${number}`, `${PROSE}<p id=own></p><script>own.textContent = 'page ' + ${number}</script>`)
    const pages = await Promise.all(numbers.map((number) => read(browser, `/${number}`)))
    expect(pages.map((text) => text.slice(text.indexOf('page ')))).toEqual(numbers.map((number) => `page ${number}`))
    expect(started).toHaveLength(1)
    await browser.close()
    expect(processesOf(started[0]?.pid ?? 0)).toEqual([])
    expect(profilesOf()).toEqual([])
    await expect(read(browser)).rejects.toThrow('being closed')
  })

  test('is closed when idle, and started again for the next page', async () => {
    const { browser, started } = open({ idleMs: 200 })
    await read(browser)
    await started[0]?.exited
    expect(processesOf(started[0]?.pid ?? 0)).toEqual([])
    await read(browser)
    expect(started).toHaveLength(2)
  })

  test('is replaced after much use or a crash, without failing a read', { tags: ['long'] }, async () => {
    const { browser, started } = open({ limits: { maxPages: 2 } })
    await Promise.all([1, 2, 3].map(() => read(browser)))
    expect(started).toHaveLength(2)
    await started[0]?.exited
    kill(started[1])
    await started[1]?.exited
    await read(browser)
    expect(started).toHaveLength(3)
    const reading = read(browser, '/page')
    kill(started[2])
    await reading
    expect(started).toHaveLength(4)
  })

  test('closes a page that takes too much memory, and reads the next', async () => {
    const { browser, started } = open({ limits: { maxPageBytes: 300 * 1024 * 1024, maxBytes: Infinity } })
    site.routes.set(
      '/hog',
      `<p>x</p><script>const all = []; setInterval(() => all.push(new Uint8Array(2e7).fill(7)), 20)</script>`,
    )
    const largePage = browser.render(`${site.origin}/hog`, { ...RENDER_OPTIONS, settleMs: 20_000 })
    await expect(largePage).rejects.toThrow('it crashed')
    await read(browser)
    expect(started).toHaveLength(1)
  })

  test('releases cancelled reads, and closes with pages open', async () => {
    const { browser, started } = open()
    const wanted = new AbortController()
    const waiting = Array.from({ length: 6 }, () =>
      browser
        .render(`${site.origin}/silent`, { ...RENDER_OPTIONS, signal: wanted.signal })
        .catch((error: unknown) => error),
    )
    await expect.poll(() => started).toHaveLength(1)
    wanted.abort()
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ kind: 'aborted' })
    const open_ = [read(browser, '/silent'), read(browser, '/silent')].map((each) =>
      each.catch((error: unknown) => error),
    )
    await expect.poll(() => site.asked.filter((line) => line === 'GET /silent').length).toBeGreaterThanOrEqual(2)
    await browser.close()
    for (const outcome of await Promise.all(open_)) expect(outcome).toMatchObject({ name: 'Failure' })
    expect(processesOf(started[0]?.pid ?? 0)).toEqual([])
  })

  test.each([
    [
      'ends at once',
      '#!/bin/sh\necho "error while loading shared libraries: libnss3.so" >&2\nexit 127\n',
      'libnss3.so',
    ],
    ['may not be started', undefined, 'could not be started'],
  ])('that %s is explained, and nothing is left', async (_, text, message) => {
    const file = join(emptyFolder(), 'browser')
    writeFileSync(file, text ?? '')
    chmodSync(file, text === undefined ? 0o644 : 0o755)
    const before = profilesOf()
    const proxy = await way.proxy()
    const { browser } = open({ launch: () => launchBrowser({ file, env: { PATH: process.env.PATH }, proxy }) })
    const failing = read(browser)
    await expect(failing).rejects.toThrow(message)
    await expect(failing).rejects.toThrow(`The browser ${file}`)
    await expect(failing).rejects.toThrow('BROWSER_PATH')
    expect(profilesOf()).toEqual(before)
  })

  test('does not outlive its parent process, however that ended', async () => {
    const folder = emptyFolder()
    const build = await rolldown({
      input: resolve('packages/server/src/browser/browser-process.ts'),
      platform: 'node',
      tsconfig: false,
      resolve: { conditionNames: ['@scorpiox/source', 'import', 'default'] },
    })
    await build.write({ file: join(folder, 'launch.mjs'), format: 'esm', codeSplitting: false })
    await build.close()
    const script = join(folder, 'holder.mjs')
    writeFileSync(
      script,
      `import { launchBrowser } from './launch.mjs'
       setInterval(() => {}, 1000)
       const [file, host, port] = process.argv.slice(2)
       const { pid, devtools } = await launchBrowser({ file, env: process.env, proxy: { host, port } })
       await devtools.root.send('Target.createTarget', { url: 'about:blank' })
       devtools.root.sendWithoutReply('Target.createTarget', { url: 'data:text/html,<script>for(;;);</script>' })
       setTimeout(() => console.log(pid), 300)`,
    )
    const { host, port } = await way.proxy()
    const holder = spawn(process.execPath, [script, await browserFile(), host, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, HOME: folder, TMPDIR: tmpdir() },
    })
    onTestFinished(() => void holder.kill('SIGKILL'))
    const [line]: unknown[] = await once(holder.stdout, 'data')
    const pid = Number(String(line))
    expect(processesOf(pid).length).toBeGreaterThan(2)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await expect.poll(() => processesOf(pid), { timeout: 10_000 }).toEqual([])
    await removeAbandonedProfiles()
    expect(profilesOf(holder.pid)).toEqual([])
  })
})
