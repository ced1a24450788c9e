// The console's page with much data, in Chromium: 5,000 calls, 200 jobs and 2,000 tasks, all made by calls to a real server and
// shown by `scorpiox-code ui`. Measures the first load, the time until the list of calls can be used, memory, and frames while
// each list is scrolled.   npm run bench:console-page [-- calls [jobs [tasks]]]

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { openChromium } from '../test/page/chromium.mjs'
import { startServer } from './lib/terminal-server.mjs'

const PROGRAM = fileURLToPath(new URL('../dist/scorpiox-code.js', import.meta.url))
const PAGE = fileURLToPath(new URL('../dist/page', import.meta.url))
const [CALLS, JOBS, TASKS] = [5000, 200, 2000].map((count, index) => Number(process.argv[2 + index] ?? count))
const ROUNDS = 7
/** The console shows as many ended jobs of a server. */
const SHOWN_JOBS = 20
/** Calls on their way at the same time. */
const PARALLEL = 20
/** Pixels for each frame, which is about 9,000 a second: a fast flick. */
const STEP = 150
const SCROLL_MS = 8000

/** Runs in the page before its code: notes when rows are on the screen and the main thread is free again. */
const OBSERVE = `
  globalThis.ROWS = 'main .virtual > li, main .cards > li, main .calls > li'
  new MutationObserver((_, observer) => {
    if (document.querySelector(ROWS) === null) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => { globalThis.interactiveAt = performance.now() }))
  }).observe(document, { subtree: true, childList: true })`
const IDLE = 'new Promise((resolve) => requestIdleCallback(resolve, { timeout: 5000 }))'

const server = await startServer()
const others = await Promise.all(
  Array.from({ length: Math.ceil(JOBS / SHOWN_JOBS) - 1 }, () => startServer(server.folder)),
)
await makeData()
const ui = await startUi()
const browser = await openChromium()
try {
  const page = await openPage()
  printFirstLoad()
  await measureStart(page)
  for (const view of ['calls', 'jobs', 'tasks']) await measureScrolling(page, view)
} finally {
  await browser.close()
  ui.child.kill()
  const servers = [...others, server]
  for (const each of servers) each.close()
  await Promise.all(servers.map(({ exited }) => exited))
  rmSync(server.folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Every job and task is a call; others are short commands and lists. */
async function makeData() {
  const startedAt = performance.now()
  await inParallel(JOBS, (index) =>
    pickServer(index).call('BackgroundBash', { command: `echo line ${index}; printf 'x%.0s' {1..40}` }),
  )
  await inParallel(TASKS, (index) =>
    server.call('TaskManager', { action: 'create', text: `Task ${index}: look at the log`, steps: ['Read', 'Report'] }),
  )
  await inParallel(Math.max(0, CALLS - JOBS - TASKS), (index) =>
    index % 50 === 0
      ? server.call('Bash', { command: `ls -la /nowhere/${index}` })
      : server.call('ReadBgOutput', { task_id: 1 + (index % SHOWN_JOBS) }),
  )
  console.log(`made ${CALLS} calls, ${JOBS} jobs and ${TASKS} tasks in ${seconds(performance.now() - startedAt)}\n`)
}

function pickServer(index) {
  return [server, ...others][Math.floor(index / SHOWN_JOBS)]
}

async function inParallel(count, run) {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
}

async function startUi() {
  const child = spawn(process.execPath, [PROGRAM, 'ui', '--no-open'], {
    cwd: server.folder,
    env: { PATH: process.env.PATH, HOME: server.folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  while (!/#key=\S+/.test(printed)) printed += String((await once(child.stdout, 'data'))[0])
  return { child, link: /http\S+#key=\S+/.exec(printed)[0] }
}

async function openPage() {
  // The policy of the page forbids what waits for conditions here.
  const options = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', bypassCSP: true }
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.addInitScript(OBSERVE)
  await page.goto(ui.link)
  await page.getByRole('navigation').waitFor()
  return page
}

function printFirstLoad() {
  const files = ['index.html', 'manifest.webmanifest', 'page.css', 'page.js', 'service-worker.js']
  const bytes = files.map((name) => gzipSync(readFileSync(join(PAGE, name)), { level: 9 }).length)
  console.log(`first load, gzipped: ${kilobytes(bytes.reduce((sum, size) => sum + size, 0))} (${files.join(', ')})`)
}

/** From the end of loading until rows are on the screen and the page answers. */
async function measureStart(page) {
  const times = []
  const origin = new URL(page.url()).origin
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto('about:blank')
    await page.goto(`${origin}/#/calls`)
    await page.waitForFunction('globalThis.interactiveAt !== undefined')
    times.push(await page.evaluate("interactiveAt - performance.getEntriesByType('navigation')[0].loadEventEnd"))
  }
  times.sort((a, b) => a - b)
  const heap = await measureHeap(page)
  console.log(
    `calls usable after load: median ${ms(times[ROUNDS >> 1])}, slowest ${ms(times.at(-1))} (aim: 500 ms); heap ${megabytes(heap)}\n`,
  )
  console.log(
    '| view | rows | frames/s | interval p50, p95, longest | long tasks | script, layout, style for a frame | heap after |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|')
}

async function measureScrolling(page, view) {
  await page.evaluate(`location.hash = '#/${view}'`)
  await page.waitForFunction(`document.querySelectorAll(ROWS).length > 0`)
  await page.evaluate(loadAll)
  await page.evaluate(IDLE)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await readMetrics(session)
  const { intervals, longTasks } = await page.evaluate(scrollToEnd, { step: STEP, limitMs: SCROLL_MS })
  const after = await readMetrics(session)
  const perFrame = (name) => ms(((after[name] - before[name]) * 1000) / intervals.length)
  const rows = await page.evaluate(
    "document.querySelector('.virtual > li')?.ariaSetSize ?? document.querySelectorAll(ROWS).length",
  )
  const sorted = intervals.toSorted((a, b) => a - b)
  const average = intervals.reduce((sum, interval) => sum + interval, 0) / intervals.length
  const cells = [
    view,
    rows,
    (1000 / average).toFixed(1),
    [0.5, 0.95].map((part) => ms(sorted[Math.floor(sorted.length * part)])).join(', ') + `, ${ms(sorted.at(-1))}`,
    longTasks.length === 0 ? '0' : `${longTasks.length}, longest ${ms(Math.max(...longTasks))}`,
    ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].map(perFrame).join(', '),
    megabytes(await measureHeap(page)),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

async function readMetrics(session) {
  const { metrics } = await session.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}

async function measureHeap(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** Runs in the page: scrolls to the end until no more rows are loaded, and back. */
async function loadAll() {
  const rows = () => document.querySelector('.virtual > li')?.ariaSetSize ?? '0'
  for (let before = '', quiet = 0; quiet < 20; quiet = rows() === before ? quiet + 1 : 0) {
    before = rows()
    scrollTo(0, document.documentElement.scrollHeight)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  scrollTo(0, 0)
}

/** Runs in the page: scrolls by the same distance in each frame, down to the end and up again. */
async function scrollToEnd({ step, limitMs }) {
  const longTasks = []
  const observer = new PerformanceObserver((list) =>
    longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  )
  observer.observe({ entryTypes: ['longtask'] })
  let scroller = document.querySelector('main .virtual, main ul')
  while (
    scroller !== null &&
    !(/auto|scroll/.test(getComputedStyle(scroller).overflowY) && scroller.scrollHeight > scroller.clientHeight + 10)
  )
    scroller = scroller.parentElement
  scroller ??= document.scrollingElement
  const intervals = []
  let direction = 1
  const startedAt = performance.now()
  let last = await new Promise(requestAnimationFrame)
  while (performance.now() - startedAt < limitMs) {
    scroller.scrollBy(0, step * direction)
    if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) direction = -1
    if (scroller.scrollTop <= 0) direction = 1
    const now = await new Promise(requestAnimationFrame)
    intervals.push(now - last)
    last = now
  }
  observer.disconnect()
  return { intervals, longTasks }
}

function ms(value) {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`
}

function seconds(value) {
  return `${(value / 1000).toFixed(1)} s`
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} KB`
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
