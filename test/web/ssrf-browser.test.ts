// A real browser behind the checking proxy, on pages that try everything a page can try. Nothing reaches the internal
// server; where that very server is allowed, the same pages reach it, which shows that they do try.

import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Rendered } from '../../src/platform/browser/browser.js'
import { launchBrowser, type LiveBrowser } from '../../src/platform/browser/launch.js'
import { unpackedChromium } from '../../src/platform/browser/npm-chromium.js'
import { renderPage } from '../../src/platform/browser/render.js'
import { FetchFailure } from '../../src/platform/way-out/fetch-failure.js'
import type { WayOut } from '../../src/platform/way-out/way-out.js'
import { LEAVING, LIVE, QUIET, type Targets, type Vector } from './ssrf-pages.js'
import { openWorld, PUBLIC, type World } from './ssrf-world.js'

const WISH = { settleMs: 2500, maxMs: 25_000, maxBytes: 5_000_000 }

let world: World
let datagrams: Datagrams
let received = 0
let targets: Targets
let guarded: LiveBrowser
let opened: LiveBrowser
let ways: WayOut[] = []

async function launch(allow: string): Promise<LiveBrowser> {
  const file = await unpackedChromium(() => join(tmpdir(), 'scorpiox-npm-browser'))
  if (file === undefined) throw new Error('npm brought no browser')
  const way = world.wayOut({ allow })
  ways = [...ways, way]
  return launchBrowser({ file, env: { PATH: process.env.PATH, HOME: tmpdir() }, proxy: await way.proxy() })
}

/** npm brings one for this system only. */
const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64'

describe.runIf(HAS_BROWSER)('in a browser', () => {
  beforeAll(async () => {
    world = await openWorld()
    datagrams = createSocket('udp4', () => received++).bind(0, '127.0.0.1')
    await once(datagrams, 'listening')
    const hit = (name: string): string => `http://127.0.0.1:${world.internal.port}/${name}`
    const viaRedirect = (name: string): string => `/to/302?url=${encodeURIComponent(hit(name))}`
    targets = { hit, viaRedirect, port: world.internal.port, udpPort: datagrams.address().port }
    const page = `127.0.0.1:${world.outer.port}`
    guarded = await launch(page)
    opened = await launch(`${page}, 127.0.0.1:${world.internal.port}, localhost:${world.internal.port}`)
    servePages()
  })

  afterAll(async () => {
    await Promise.all([guarded, opened].map((browser) => browser.close()))
    datagrams.close()
    await world.close()
  })

  function servePages(): void {
    const { port } = world.internal
    world.pages.set('/sw.js', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/javascript' })
      response.end(`importScripts('http://127.0.0.1:${port}/sw-script'); fetch('http://127.0.0.1:${port}/sw-fetch')`)
    })
    world.pages.set('/transformed.xml', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' })
      const inside = `http://127.0.0.1:${port}`
      response.end(
        `<?xml-stylesheet type="text/xsl" href="${inside}/xslt"?><!DOCTYPE a SYSTEM "${inside}/dtd" [<!ENTITY x SYSTEM "${inside}/entity">]><a>&x;</a>`,
      )
    })
    world.pages.set('/refresh', ({ url = '' }, response) => {
      const to = new URL(url, 'http://x').searchParams.get('url')
      response.writeHead(200, { 'content-type': 'text/html', refresh: `0;url=${to}` }).end('<p>refreshing')
    })
    const headers = {
      'content-type': 'text/html',
      link: `<http://127.0.0.1:${port}/link-script>; rel=preload; as=script, <http://127.0.0.1:${port}/link-style>; rel=stylesheet`,
      'content-security-policy-report-only': `img-src 'none'; report-uri http://127.0.0.1:${port}/csp`,
      'reporting-endpoints': `default="http://127.0.0.1:${port}/reports"`,
      'alt-svc': `h3=":${targets.udpPort}"; ma=60, h2=":${port}"; ma=60`,
      sourcemap: `http://127.0.0.1:${port}/map`,
    }
    for (const [name, vectors] of [['/all', [...LIVE, ...QUIET]] as const]) {
      const html = `<!doctype html><title>all</title><body>${vectors.map(([, make]) => make(targets)).join('\n')}<p>the end`
      world.pages.set(name, (_, response) => response.writeHead(200, headers).end(html))
    }
    for (const [name, make] of LEAVING) {
      world.pages.set(`/leaving/${name}`, (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.end(`<!doctype html><body><p>here</p>${make(targets)}`)
      })
    }
  }

  function forget(): void {
    world.internal.hits = 0
    world.internal.paths.clear()
    received = 0
    world.names.set('localhost', [['127.0.0.1']])
    world.names.set('inside.example', [['127.0.0.1']])
    world.names.set('rebind.example', [[PUBLIC], ['127.0.0.1'], [PUBLIC], ['127.0.0.1']])
  }

  async function visit(browser: LiveBrowser, path: string, settleMs = WISH.settleMs): Promise<Rendered | FetchFailure> {
    const url = path.startsWith('/') ? `http://127.0.0.1:${world.outer.port}${path}` : path
    try {
      return await renderPage(browser, url, { ...WISH, settleMs })
    } catch (error) {
      if (error instanceof FetchFailure) return error
      throw error
    }
  }

  const nameIn = ([name]: Vector): string => name

  describe('a page that tries everything', () => {
    let reached: ReadonlySet<string>
    let html = ''
    beforeAll(async () => {
      forget()
      await visit(opened, '/all')
      reached = new Set(world.internal.paths)
      forget()
      const shown = await visit(guarded, '/all')
      html = 'html' in shown ? shown.html : shown.message
    })

    test.each(LIVE.map(nameIn))('%s gets through where it is allowed', (name) => {
      expect([...reached].some((path) => path.slice(1).startsWith(name))).toBe(true)
    })

    test.each([...LIVE, ...QUIET].map(nameIn))('%s reaches nothing', (name) => {
      expect([...world.internal.paths].filter((path) => path.slice(1).startsWith(name))).toEqual([])
    })

    test('nobody connected, nothing was sent, and the page was shown', () => {
      expect([world.internal.hits, received]).toEqual([0, 0])
      expect(html).toContain('the end')
      expect(html).not.toContain('root:')
      expect(html).not.toContain('SECRET')
    })
  })

  describe('a page that leaves', () => {
    const shown = new Map<string, Rendered | FetchFailure>()
    let reached: ReadonlySet<string>
    let hits = 0
    beforeAll(async () => {
      forget()
      await Promise.all(LEAVING.map(([name]) => visit(opened, `/leaving/${name}`, 800)))
      reached = new Set(world.internal.paths)
      forget()
      const visits = LEAVING.map(async ([name]) => shown.set(name, await visit(guarded, `/leaving/${name}`, 800)))
      await Promise.all(visits)
      hits = world.internal.hits
    })

    test.each(LEAVING.map(nameIn))('by %s arrives only where it is allowed', (name) => {
      expect([...reached]).toContain(`/${name}`)
      const page = shown.get(name)
      if (page instanceof FetchFailure) expect(page.problem).toBe('refused')
      else expect(page?.html).not.toContain('SECRET')
      expect(hits).toBe(0)
    })
  })

  test.each([
    'http://127.0.0.1:{port}/',
    'http://localhost:{port}/',
    'http://2130706433:{port}/',
    'http://[::1]:{port}/',
    'http://[::ffff:127.0.0.1]:{port}/',
    'http://0.0.0.0:{port}/',
    'http://inside.example:{port}/',
    'https://127.0.0.1:{port}/',
    'https://inside.example:{port}/',
    'http://169.254.169.254/',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
    'chrome://version',
    'view-source:http://127.0.0.1:{port}/',
    'data:text/html,<iframe src=http://127.0.0.1:{port}/></iframe>',
    'javascript:location="http://127.0.0.1:{port}/"',
    'blob:http://127.0.0.1:{port}/x',
    'about:blank',
  ])('%s is not shown', async (url) => {
    forget()
    const shown = await visit(guarded, url.replace('{port}', String(world.internal.port)), 0)
    expect(shown).toBeInstanceOf(FetchFailure)
    expect(world.internal.hits).toBe(0)
  })

  test('a public page is shown', async () => {
    const shown = await visit(guarded, 'http://example.com/', 0)
    expect(shown).toMatchObject({ status: 200, html: expect.stringContaining('a public page') })
  })
})
