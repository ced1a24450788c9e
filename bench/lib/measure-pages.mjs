// What it costs to read a page that needs a browser: the first, and each further one, beside the same by playwright-core.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const bench = join(dirname(fileURLToPath(import.meta.url)), '..')
const judge = join(bench, '..', 'dist', 'judge', 'browser')
const DRIVERS = { server: 'pages-ours.mjs', driver: 'pages-playwright.mjs' }
const PARAGRAPHS = Array.from({ length: 30 }, (_, number) => `<p>This is paragraph ${number} of the page.</p>`)
const FETCH_MS = 30

const PAGES = {
  '/made': `<!doctype html><title>A page</title><div id=app></div><script>
    fetch('/text').then((answer) => answer.json()).then((all) => { app.innerHTML = all.join('') })</script>`,
  '/chatty': `<!doctype html><title>A page</title>${PARAGRAPHS.join('')}<script>
    setInterval(() => fetch('/beacon?' + Math.random()), 100)</script>`,
}

const answer = ({ url }, response) => {
  if (url === '/text') setTimeout(() => response.end(JSON.stringify(PARAGRAPHS)), FETCH_MS)
  else response.setHeader('content-type', 'text/html').end(PAGES[url] ?? '')
}

const within = async (work) => {
  const site = createServer(answer)
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`127.0.0.1:${site.address().port}`)
  } finally {
    site.closeAllConnections()
    site.close()
  }
}

/** One process that shows the first page, and then each kind in turn; it prints what each took. */
const drive = (key, browser, host, turns, record) =>
  new Promise((resolve, reject) => {
    const args = [
      join(bench, 'subjects', DRIVERS[key]),
      browser,
      host,
      String(turns),
      String(performance.timeOrigin + performance.now()),
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { row, ms } = JSON.parse(line)
      record(row, ms)
    })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${DRIVERS[key]} ended with ${code}`))))
  })

const pagesRound = async (subjects, recordFor, { turns, leave, note }) => {
  const { findBrowser } = await import(join(judge, 'find-browser.mjs'))
  const unpackIn = () => join(tmpdir(), 'scorpiox-bench-browser')
  const browser = await findBrowser({ wanted: '', env: process.env, unpackIn }).catch(({ message }) => note(message))
  if (browser === undefined) return
  const hasDriver = existsSync(join(bench, '..', 'node_modules', 'playwright-core'))
  await within(async (host) => {
    for (const server of subjects) {
      try {
        await drive('server', browser, host, turns, recordFor('server'))
        if (hasDriver) await drive('driver', browser, host, turns, recordFor('driver'))
      } catch (error) {
        leave(server, error)
      }
    }
  })
}

export const pagesPhase = {
  name: 'pages',
  subjects: ['server'],
  round: pagesRound,
  full: { rounds: 3, turns: 12 },
  quick: { rounds: 2, turns: 6 },
}
