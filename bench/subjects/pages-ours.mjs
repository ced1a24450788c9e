// Shows pages with the browser of this server; see ../lib/measure-pages.mjs.

import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [file, host, turns, startedAt] = process.argv.slice(2)
const judge = '../../dist/judge/browser'
const { createGuardedFetch } = await import(`${judge}/way-out.mjs`)
const { openBrowserPool } = await import(`${judge}/open-browser.mjs`)

const proxies = { override: 'off', http: '', https: '', bypass: '' }
const guardedFetch = createGuardedFetch({ allow: host, proxies, warn: () => {} })
const settings = { BROWSER_PATH: file, STATE_DIR: join(tmpdir(), 'scorpiox-bench-state') }
const log = { error() {}, warn() {}, info() {}, debug() {} }
const browser = openBrowserPool({
  config: { settings, childEnv: process.env, cwd: process.cwd() },
  guardedFetch,
  log,
})

const show = async (path) => {
  const { html } = await browser.render(`http://${host}${path}`, { settleMs: 0, maxMs: 20_000, maxBytes: 5_000_000 })
  if (!html.includes('paragraph 29')) throw new Error(`${path} is not whole`)
}
const print = (row, ms) => process.stdout.write(`${JSON.stringify({ row, ms })}\n`)

await show('/made')
print('pageFirst', performance.timeOrigin + performance.now() - Number(startedAt))
for (let turn = 0; turn < Number(turns); turn++) {
  for (const [row, path] of [
    ['pageMade', '/made'],
    ['pageChatty', '/chatty'],
  ]) {
    const before = performance.now()
    await show(path)
    print(row, performance.now() - before)
  }
}
await browser.close()
await guardedFetch.close()
