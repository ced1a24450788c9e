// A real browser behind the checking proxy, on pages that try everything a page can. Nothing reaches the internal
// server; if that server is allowed the same pages reach it, which shows that they do try.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { tmpdir } from 'node:os'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { launchBrowser } from '@scorpiox/server/browser/browser-process'
import { type RenderedPage, renderInBrowser } from '@scorpiox/server/browser/page-renderer'
import { FetchFailure } from '@scorpiox/server/guarded-fetch/fetch-failure'
import { browserFile, HAS_BROWSER } from './browser-support.js'
import { openNetwork, PUBLIC, type SsrfNetwork } from './ssrf-network.js'
import { LEAVING, LIVE, QUIET, type Targets, type Vector } from './ssrf-pages.js'

const RENDER_LIMITS = { maxMs: 25_000, maxBytes: 5_000_000 }
const EVERYTHING: readonly Vector[] = [...LIVE, ...QUIET]

type Shown = RenderedPage | FetchFailure

/** A browser in a separate environment. */
interface BrowserSetup {
  readonly network: SsrfNetwork
  /** The number of datagrams that the internal server received. */
  received(): number
  show(path: string, settleMs?: number): Promise<Shown>
  close(): Promise<void>
}

async function openScene(isInternalAllowed: boolean): Promise<BrowserSetup> {
  const network = await openNetwork()
  const { internal, outer } = network
  let received = 0
  const datagrams = createSocket('udp4', () => received++).bind(0, '127.0.0.1')
  await once(datagrams, 'listening')
  const hit = (name: string): string => `http://127.0.0.1:${internal.port}/${name}`
  const viaRedirect = (name: string): string => `/to/302?url=${encodeURIComponent(hit(name))}`
  servePages(network, { hit, viaRedirect, port: internal.port, udpPort: datagrams.address().port })
  network.names.set('localhost', [['127.0.0.1']])
  network.names.set('inside.example', [['127.0.0.1']])
  network.names.set('rebind.example', [[PUBLIC], ['127.0.0.1'], [PUBLIC], ['127.0.0.1']])

  const inside = `127.0.0.1:${internal.port}, localhost:${internal.port}`
  const way = network.guardedFetch({ allow: `127.0.0.1:${outer.port}, ${isInternalAllowed ? inside : ''}` })
  const env = { PATH: process.env.PATH, HOME: tmpdir() }
  const browser = await launchBrowser({ file: await browserFile(), env, proxy: await way.proxy() })
  return {
    network,
    received: () => received,
    async show(path, settleMs = 800) {
      const url = path.startsWith('/') ? `http://127.0.0.1:${outer.port}${path}` : path
      try {
        return await renderInBrowser(browser, url.replace('{port}', String(internal.port)), {
          ...RENDER_LIMITS,
          settleMs,
        })
      } catch (error) {
        if (error instanceof FetchFailure) return error
        throw error
      }
    },
    async close() {
      await browser.close()
      datagrams.close()
      await network.close()
    },
  }
}

function servePages({ pages }: SsrfNetwork, targets: Targets): void {
  const { hit, port, udpPort } = targets
  const html = { 'content-type': 'text/html' }
  pages.set('/sw.js', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' })
    response.end(`importScripts('${hit('service-worker-script')}'); fetch('${hit('service-worker')}')`)
  })
  pages.set('/transformed.xml', (_, response) => {
    const entity = `<!ENTITY x SYSTEM "${hit('xslt-entity')}">`
    const document = `<!DOCTYPE a SYSTEM "${hit('xslt-dtd')}" [${entity}]><a>&x;</a>`
    response.writeHead(200, { 'content-type': 'text/xml' })
    response.end(`<?xml-stylesheet type="text/xsl" href="${hit('xslt')}"?>${document}`)
  })
  pages.set('/refresh', ({ url = '' }, response) => {
    const to = new URL(url, 'http://x').searchParams.get('url')
    response.writeHead(200, { ...html, refresh: `0;url=${to}` }).end('<p>refreshing')
  })
  const hints = {
    link: `<${hit('link-script')}>; rel=preload; as=script, <${hit('link-style')}>; rel=stylesheet`,
    'content-security-policy-report-only': `img-src 'none'; report-uri ${hit('csp')}`,
    'reporting-endpoints': `default="${hit('reports')}"`,
    'alt-svc': `h3=":${udpPort}"; ma=60, h2=":${port}"; ma=60`,
    sourcemap: hit('map'),
  }
  pages.set('/everything', (_, response) => {
    const attempts = EVERYTHING.map(([, make]) => make(targets)).join('\n')
    response.writeHead(200, { ...html, ...hints }).end(`<!doctype html><body>${attempts}<p>the end`)
  })
  for (const [name, make] of LEAVING) {
    pages.set(`/leaving/${name}`, (_, response) => {
      response.writeHead(200, html).end(`<!doctype html><body><p>here</p>${make(targets)}`)
    })
  }
}

function namesIn(vectors: readonly Vector[]): readonly string[] {
  return vectors.map(([name]) => name)
}

describe.runIf(HAS_BROWSER)('in a browser', () => {
  let guarded: BrowserSetup
  let opened: BrowserSetup
  const scenes: BrowserSetup[] = []
  let everything: Shown
  const left = new Map<string, Shown>()

  beforeAll(async () => {
    scenes.push((guarded = await openScene(false)))
    scenes.push((opened = await openScene(true)))
    const [shown] = await Promise.all([guarded.show('/everything'), opened.show('/everything')])
    everything = shown
    const leave = async ([name]: Vector): Promise<void> => {
      const [page] = await Promise.all([guarded.show(`/leaving/${name}`), opened.show(`/leaving/${name}`)])
      left.set(name, page)
    }
    for (let first = 0; first < LEAVING.length; first += 4) {
      await Promise.all(LEAVING.slice(first, first + 4).map(leave))
    }
  })

  afterAll(() => Promise.all(scenes.map((setup) => setup.close())))

  const reachedIn = ({ network }: BrowserSetup, name: string): readonly string[] =>
    [...network.internal.paths].filter((path) => path.startsWith(`/${name}`))

  test.each(namesIn(LIVE))('%s reaches the internal server if it is allowed', (name) => {
    expect(reachedIn(opened, name)).not.toEqual([])
  })

  test.each(namesIn(EVERYTHING))('%s reaches nothing', (name) => {
    expect(reachedIn(guarded, name)).toEqual([])
  })

  test.each(namesIn(LEAVING))('a page that navigates by %s arrives only if it is allowed', (name) => {
    const page = left.get(name)
    expect(reachedIn(opened, name)).not.toEqual([])
    expect(reachedIn(guarded, name)).toEqual([])
    if (page instanceof FetchFailure) expect(page.kind).toBe('refused')
    else expect(page?.html).not.toContain('SECRET')
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
    expect(await guarded.show(url, 0)).toBeInstanceOf(FetchFailure)
  })

  test('a public page is shown', async () => {
    const shown = await guarded.show('http://example.com/', 0)
    expect(shown).toMatchObject({ status: 200, html: expect.stringContaining('a public page') })
  })

  test('there was no connection, no packet and no leak', () => {
    expect([guarded.network.internal.hits, guarded.received()]).toEqual([0, 0])
    expect(everything).toMatchObject({ html: expect.stringContaining('the end') })
    expect(JSON.stringify([everything, ...left.values()])).not.toMatch(/SECRET|root:/)
  })
})
