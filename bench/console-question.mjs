// Measures the way of a question to a person: a model asks over stdio, the console (`ui`) shows it in a real browser, keys
// answer it, and the call returns. Prints the time from the request to the question on the screen, from the last key to
// the result, and the number of keys. `npm run bench:console`

import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { openChromium } from '../test/page/chromium.mjs'
import { startServer } from './lib/terminal-server.mjs'

const PROGRAM = fileURLToPath(new URL('../dist/scorpiox-code.js', import.meta.url))
const ROUNDS = Number(process.argv[2] ?? 20)
const FIRST_CALLS = 5
const KEYS = ['2', 'Enter']

const server = await startServer()
const ui = await startConsole(server.folder)
const browser = await openChromium()
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
await page.addInitScript(`(${String(watchQuestions)})()`)
await page.goto(ui.link)
await page.locator('main h1').waitFor()
await waitUntilSeen(server)
await measure('a running server', ROUNDS, async () => server)
const others = []
await measure('the first call of a server', FIRST_CALLS, async () => {
  const other = await startServer(server.folder)
  others.push(other)
  return other
})
await browser.close()
ui.child.kill()
for (const each of [server, ...others]) each.close()

async function measure(title, rounds, nextServer) {
  const shown = []
  const answered = []
  for (let round = 1; round <= rounds; round++) {
    // Not in step with any timer.
    await sleep(400 + ((round * 137) % 300))
    const asking = await nextServer()
    const mark = `${title}, question ${round}`
    const askedAt = now()
    const call = asking.call('AskUserQuestion', {
      questions_json: JSON.stringify({ questions: [{ text: mark, options: ['No', 'Yes', 'Later'] }] }),
    })
    const seen = page.waitForFunction((text) => globalThis.shownAt[text], mark, { polling: 20 })
    const outcome = await Promise.race([seen, call])
    if ('text' in outcome) throw new Error(`not answered on the page: ${outcome.text}`)
    shown.push((await outcome.jsonValue()) - askedAt)
    for (const key of KEYS) await page.keyboard.press(key)
    const typedAt = now()
    const { text } = await call
    answered.push(now() - typedAt)
    if (!text.includes('"selected":"Yes"')) throw new Error(`another answer arrived: ${text}`)
  }
  console.log(
    `${title}: asked to on screen ${describe(shown)}; last key to result ${describe(answered)}; ${KEYS.length} keys`,
  )
}

/** The server knows that a console is open. */
async function waitUntilSeen({ pid }) {
  await page.goto(`${ui.link.split('#')[0]}#/tools`)
  await page.getByText(`Process ${pid}`).waitFor()
  await page.goto(`${ui.link.split('#')[0]}#/home`)
}

function startConsole(folder) {
  const child = spawn(process.execPath, [PROGRAM, 'ui', '--no-open'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  return new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const link = /http:\S+#key=\S+(?=\n)/.exec(printed)?.[0]
      if (link !== undefined) resolve({ child, link })
    })
  })
}

/** Runs in the page: records when the text of a question was painted. */
function watchQuestions() {
  globalThis.shownAt = {}
  const look = () => {
    for (const { textContent } of document.querySelectorAll('legend')) {
      if (textContent in globalThis.shownAt) continue
      globalThis.shownAt[textContent] = 0
      requestAnimationFrame(() => {
        const channel = new MessageChannel()
        channel.port1.onmessage = () => {
          globalThis.shownAt[textContent] = performance.timeOrigin + performance.now()
        }
        channel.port2.postMessage('')
      })
    }
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}

function now() {
  return performance.timeOrigin + performance.now()
}

function describe(times) {
  const sorted = times.toSorted((a, b) => a - b)
  return `p50 ${sorted[Math.floor((sorted.length - 1) / 2)].toFixed(0)} ms, max ${sorted.at(-1).toFixed(0)} ms`
}
