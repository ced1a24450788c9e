// A host for views: two origins on loopback (the page of the host, and the sandbox with the policy of the specification),
// Chromium, and the client that is connected to the server. Used by ../apps.mjs.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { rolldown } from 'rolldown'
import { openChromium } from '../../test/page/chromium.mjs'

const here = import.meta.dirname
const { source: axeSource } = createRequire(join(here, '../../package.json'))('axe-core')

/** What a host must enforce for a view that declares no origins. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'; object-src 'none'"

export async function openHost() {
  const browser = await openChromium()
  const host = await serve({ '/': html('host.html'), '/host.js': { type: 'text/javascript', body: await bundle() } })
  const sandbox = await serve({ '/': html('sandbox.html', { 'content-security-policy': POLICY }) })
  return {
    /** A page with one view. `request` sends a request to the server. */
    async open({ html: text, csp, context = {}, capabilities, request }) {
      const page = await browser.newPage({ viewport: { width: 640, height: 720 }, reducedMotion: 'reduce' })
      const problems = []
      const origins = new Set()
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('request', (sent) => origins.add(new URL(sent.url()).origin))
      await page.exposeFunction('request', request)
      await page.goto(host.url)
      await page.evaluate((options) => window.host.open(options), {
        html: text,
        csp,
        context,
        capabilities,
        sandbox: sandbox.url,
      })
      const frame = page.frames().find((each) => each.parentFrame()?.parentFrame() === page.mainFrame())
      const bridge = (method, params) =>
        page.evaluate(([name, value]) => window.host.bridge[name](value), [method, params])
      return {
        page,
        frame,
        problems,
        origins: () => [...origins].filter((origin) => ![host.origin, sandbox.origin, 'null'].includes(origin)),
        sendInput: (input) => bridge('sendToolInput', { arguments: input }),
        sendResult: (result) => bridge('sendToolResult', result),
        sendCancelled: () => bridge('sendToolCancelled', {}),
        changeContext: async (change) => {
          await page.evaluate((dark) => document.body.classList.toggle('dark', dark), change.theme === 'dark')
          await bridge('sendHostContextChange', change)
        },
        messages: () => page.evaluate(() => window.host.messages),
        links: () => page.evaluate(() => window.host.links),
        sizes: () => page.evaluate(() => window.host.sizes),
        frameHeight: () => page.evaluate(() => document.querySelector('iframe').getBoundingClientRect().height),
        violations: () => findViolations(frame),
        close: () => page.close(),
      }
    },
    async close() {
      await browser.close()
      host.close()
      sandbox.close()
    },
  }
}

/** By the debugger, because the policy allows no script of another origin. */
async function findViolations(frame) {
  if ((await frame.evaluate('typeof axe')) === 'undefined') await frame.evaluate(axeSource)
  const { violations } = await frame.evaluate("axe.run({ resultTypes: ['violations'] })")
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html: code }) => `${id}: ${code.slice(0, 160)}`))
}

async function bundle() {
  const build = await rolldown({ input: join(here, 'host-page.mjs'), platform: 'browser' })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

function html(name, headers = {}) {
  return { type: 'text/html; charset=utf-8', body: readFileSync(join(here, name), 'utf8'), headers }
}

async function serve(files) {
  const server = createServer(({ url }, response) => {
    const file = files[url]
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain', ...file?.headers })
    response.end(file?.body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  return { origin, url: `${origin}/`, close: () => server.close() }
}
