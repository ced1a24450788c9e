// Pages of every kind in a real browser, also hostile ones: each is read or explained in bounded time, and the next
// page works.

import { createSocket } from 'node:dgram'
import type { ServerResponse } from 'node:http'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { readBrowserMemory } from '@scorpiox/server/browser/browser-instance'
import type { BrowserProcess } from '@scorpiox/server/browser/browser-process'
import { type RenderedPage, renderInBrowser, type RenderOptions } from '@scorpiox/server/browser/page-renderer'
import type { GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'
import { eventually } from '../support/eventually.js'
import { underLoad } from '../support/load.js'
import {
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

const json = (ms: number, value: unknown) => (_: unknown, response: ServerResponse) => {
  setTimeout(() => response.end(JSON.stringify(value)), ms)
}

describe.runIf(HAS_BROWSER)('a page', () => {
  let site: Site
  let inside: Site
  let way: GuardedFetch
  let live: BrowserProcess

  beforeAll(async () => {
    site = await openSite()
    inside = await openSite({ '/': 'secret' })
    way = guardedFetchTo(site)
    live = await launchOne(way)
  })

  afterAll(async () => {
    await live?.close()
    await Promise.all([way?.close(), site?.close(), inside?.close()])
  })

  async function show(
    html: string,
    options: Partial<RenderOptions> = {},
  ): Promise<RenderedPage & { text: string; ms: number }> {
    const path = `/${crypto.randomUUID()}`
    site.routes.set(path, html)
    return visit(path, options)
  }

  async function visit(
    path: string,
    options: Partial<RenderOptions> = {},
  ): Promise<RenderedPage & { text: string; ms: number }> {
    const startedAt = performance.now()
    const rendered = await renderInBrowser(live, `${site.origin}${path}`, { ...RENDER_OPTIONS, ...options })
    return { ...rendered, text: wordsOf(rendered.html), ms: performance.now() - startedAt }
  }

  describe('that is created by its scripts', () => {
    test('is read when its fetched content has arrived', async () => {
      site.routes.set('/items', json(50, ['first item', 'second item']))
      const page = await show(`<title>Empty</title><div id=app></div><script>
        fetch('/items').then((answer) => answer.json()).then((items) => {
          document.title = 'Filled'
          app.innerHTML = items.map((item) => '<p>' + item + '</p>').join('')
        })</script>`)
      expect(page).toMatchObject({ status: 200, title: 'Filled', hasSettled: true, isTruncated: false })
      expect(page.contentType).toBe('text/html; charset=utf-8')
      expect(page.text).toBe('Filled first item second item')
    })

    test('is awaited if its server is slow, although there is some text', async () => {
      site.routes.set('/first', json(900, 'one'))
      site.routes.set('/second', json(900, 'two'))
      const page = await show(`${PROSE}<div id=app></div><script type=module>
        const first = await (await fetch('/first')).json()
        const second = await (await fetch('/second')).json()
        app.textContent = 'slow ' + first + second</script>`)
      expect(page.text).toContain('slow onetwo')
      expect(page.hasSettled).toBe(true)
    })

    test('and is inserted by a timer into an empty document is awaited', async () => {
      const page = await show(
        `<div id=app></div><script>setTimeout(() => app.textContent = 'late words', 400)</script>`,
      )
      expect(page.text).toBe('late words')
    })

    test.each([
      ['sends a beacon all the time', `setInterval(() => fetch('/beacon?' + Math.random()), 100)`],
      ['has a clock', `setInterval(() => clock.textContent = new Date().toISOString(), 20)`],
      ['listens to a stream that never ends', `new EventSource('/events')`],
      ['does not read what it fetched', `fetch('/trickle')`],
      ['has a worker', `new Worker('/worker'); new Worker(URL.createObjectURL(new Blob(['0'])))`],
      ['moves something about', `setInterval(() => { clock.remove(); document.body.prepend(clock) }, 30)`],
    ])('and %s is not awaited to the limit', async (_, script) => {
      site.routes.set('/beacon', json(30, 'ok'))
      site.routes.set(
        '/events',
        (_request, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'),
      )
      site.routes.set('/trickle', (_request, response) => void response.writeHead(200).write('x'))
      const page = await show(`<p id=clock>0</p>${PROSE}<script>${script}</script>`)
      expect(page.hasSettled).toBe(true)
      expect(page.text).toContain('more of them')
      expect(page.ms).toBeLessThan(underLoad(RENDER_OPTIONS.maxMs / 2))
    })

    test('and waits for its images gets placeholders, and none is fetched', async () => {
      const page = await show(`<p id=say></p><img src=/a.png><script>
        const image = new Image()
        image.src = '/b.jpg'
        Promise.all([image.decode(), new Promise((resolve) => addEventListener('load', resolve)), document.fonts.ready])
          .then(() => say.textContent = 'all ' + document.images.length + ' there')</script>`)
      expect(page.text).toBe('all 1 there')
      expect(site.asked.filter((line) => /a\.png|b\.jpg/.test(line))).toEqual([])
    })

    test('gets more time on request', async () => {
      const html = `${PROSE}<p id=late></p><script>setTimeout(() => late.textContent = 'much later', 1200)</script>`
      expect((await show(html)).text).not.toContain('much later')
      expect((await show(html, { settleMs: 1500 })).text).toContain('much later')
    })

    test('has its web components and frames in place', async () => {
      site.routes.set('/inner', '<p>in a frame</p><script>document.body.append("made there")</script>')
      const page = await show(`<x-card><b>handed in</b></x-card><iframe src="/inner"></iframe>
        <iframe srcdoc="<p>in a text</p>"></iframe><script>
        customElements.define('x-card', class extends HTMLElement {
          connectedCallback() {
            this.attachShadow({ mode: 'open' }).innerHTML = '<style>b{}</style><p>before <slot></slot> after</p><x-inner></x-inner>'
          }
        })
        customElements.define('x-inner', class extends HTMLElement {
          connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<slot>instead</slot>' }
        })</script>`)
      expect(page.text).toBe('before handed in after instead in a frame made there in a text')
    })

    test('is serialized so that parsing gives the same page', async () => {
      const html = `<p title='a"b&amp;c'>1 &lt; 2 &amp;amp; 3\u00a0x</p><template><i>no</i></template><noscript>no</noscript>
        <script type="application/ld+json">{"a":"<b>"}</script><svg viewBox="0 0 1 1"><text>sung</text></svg>
        <textarea>a < b</textarea><math><mi>x</mi></math><br><img src=x alt="an image">`
      const page = await show(html)
      expect(page.html).toContain('<p title="a&quot;b&amp;c">1 &lt; 2 &amp;amp; 3&nbsp;x</p>')
      expect(page.html).toContain('<script type="application/ld+json">{"a":"<b>"}</script>')
      expect(page.html).toContain('<svg viewBox="0 0 1 1"><text>sung</text></svg>')
      expect(page.html).toContain(
        '<textarea>a &lt; b</textarea><math><mi>x</mi></math><br><img src="x" alt="an image">',
      )
      expect(page.html).not.toMatch(/template|noscript/)
    })

    test('cannot deceive the reader by replacing built-ins', async () => {
      const page = await show(`${PROSE}<script>
        Array.prototype.push = Array.prototype.join = () => 'replaced'
        Object.defineProperty(Document.prototype, 'documentElement', { get: () => { throw 1 } })
        Object.defineProperty(Node.prototype, 'childNodes', { get: () => [] })
        window.setTimeout = window.Promise = undefined</script>`)
      expect(page.text).toContain('more of them')
    })
  })

  describe('that redirects', () => {
    test('is followed, by its server and by its scripts', async () => {
      site.routes.set('/goal', `<title>Goal</title>${PROSE}`)
      site.routes.set('/there', (_, response) => void response.writeHead(302, { location: '/goal' }).end())
      for (const page of [await visit('/there'), await show(`<h1>Wait</h1><script>location.href = '/there'</script>`)])
        expect(page).toMatchObject({ url: `${site.origin}/goal`, title: 'Goal', status: 200 })
    })

    test.each([
      'file:///etc/passwd',
      'chrome://version',
      'view-source:http://127.0.0.1/',
      'devtools://x',
      'data:text/html,x',
    ])('to %s stays at its URL, or is refused', async (target) => {
      site.routes.set('/away', (_, response) => void response.writeHead(302, { location: target }).end())
      await expect(visit('/away')).rejects.toMatchObject({ name: 'Failure' })
      const page = await show(`${PROSE}<iframe src="${target}"></iframe><a href="${target}">x</a><script>
          document.querySelector('a').click(); window.open(${JSON.stringify(target)}); location.href = ${JSON.stringify(target)}</script>`)
      expect(page.url.startsWith(site.origin)).toBe(true)
      expect(page.text).not.toMatch(/root:|Chromium/)
      await expect(renderInBrowser(live, target, RENDER_OPTIONS)).rejects.toMatchObject({ kind: 'bad-url' })
    })

    test('to a forbidden address does not get there', async () => {
      site.routes.set('/in', (_, response) => void response.writeHead(302, { location: inside.origin }).end())
      await expect(visit('/in')).rejects.toMatchObject({ kind: 'refused' })
      await show(`${PROSE}<img src="${inside.origin}"><iframe src="${inside.origin}"></iframe><script>
        fetch('${inside.origin}', { mode: 'no-cors' }); new WebSocket('ws://${inside.host}'); navigator.sendBeacon('${inside.origin}')
        new Worker(URL.createObjectURL(new Blob(["fetch('${inside.origin}', { mode: 'no-cors' })"])))</script>`)
      expect(inside.asked).toEqual([])
    })

    test('cannot bypass the proxy by UDP', async () => {
      const socket = createSocket('udp4')
      let packets = 0
      socket.on('message', () => packets++)
      await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
      try {
        const page = await show(
          `${PROSE}<p id=end></p><script>
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${socket.address().port}' }] })
          peer.createDataChannel('x')
          peer.onicecandidate = (event) => { if (!event.candidate) end.textContent = 'gathered' }
          peer.createOffer().then((offer) => peer.setLocalDescription(offer))</script>`,
          { settleMs: 1000 },
        )
        expect(page.text).toContain('gathered')
        expect(packets).toBe(0)
      } finally {
        socket.close()
      }
    })
  })

  describe('of a server', () => {
    test('that answers with a status only is empty', async () => {
      for (const status of [204, 404, 500]) {
        site.routes.set(`/${status}`, (_, response) => void response.writeHead(status).end())
        const page = await visit(`/${status}`)
        expect(page).toMatchObject({ status, text: '', url: `${site.origin}/${status}` })
      }
    })

    test('that offers a file is refused, and nothing is written', async () => {
      const headers = { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename=a.zip' }
      site.routes.set('/file', (_, response) => void response.writeHead(200, headers).end('PK'))
      await expect(visit('/file')).rejects.toThrow('is a file to download')
      expect(
        (await show(`${PROSE}<a href=/file download>x</a><script>document.querySelector('a').click()</script>`))
          .hasSettled,
      ).toBe(true)
    })

    test('that never answers is reported after the time limit', async () => {
      site.routes.set('/silent', () => {})
      await expect(visit('/silent', { maxMs: 1000 })).rejects.toMatchObject({ kind: 'timeout' })
    })

    test('that never finishes is read as far as it was received', async () => {
      site.routes.set(
        '/endless',
        (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write(PROSE),
      )
      const page = await visit('/endless', { maxMs: 1500 })
      expect(page.text).toContain('more of them')
      expect(page.hasSettled).toBe(false)
    })

    test('gets the user agent and the language', async () => {
      let headers: Record<string, unknown> = {}
      site.routes.set('/who', (request, response) => {
        headers = request.headers
        response.end('x')
      })
      await visit('/who')
      expect(headers['user-agent']).toMatch(/ Chrome\/\d+[\d.]* Safari\/[\d.]+ scorpiox-code\/\d/)
      expect(headers['accept-language']).toMatch(/^en/)
    })
  })

  describe('that is hostile', () => {
    const HOSTILE = [
      ['asks for ever', `<p>before</p><script>for (;;) alert('again')</script>`],
      [
        'asks for ever, each time something else',
        `<p>before</p><script>for (;;) { confirm(1); prompt(2); print() }</script>`,
      ],
      ['asks for ever and does not listen', `<p>before</p><script>for (;;) try { alert('again') } catch {}</script>`],
      ['never ends', `<p>before</p><script>for (;;);</script>`],
      ['never ends later on', `<p>before</p><script>setTimeout(() => { for (;;); }, 30)</script>`],
      ['promises for ever', `<p>before</p><script>const again = () => Promise.resolve().then(again); again()</script>`],
      ['searches for ever', `<p>before</p><script>/(a+)+$/.test('a'.repeat(60) + 'b')</script>`],
      ['loads itself again and again', `<p>before</p><script>location.reload()</script>`],
      ['grows for ever', `<p>before</p><script>setInterval(() => document.body.append('word '.repeat(9)), 5)</script>`],
      ['opens windows', `<p>before</p><script>setInterval(() => window.open('/'), 10)</script>`],
      ['closes itself', `<p>before</p><script>window.close()</script>`],
      ['does not let go', `<p>before</p><script>onbeforeunload = () => 'stay'</script>`],
    ] as const
    const SHORT = new Set(['asks for ever', 'never ends', 'loads itself again and again', 'closes itself'])
    // Concurrently, because each takes the whole time, and with enough of it for all of them on two cores.
    for (const [what, html] of HOSTILE)
      test.concurrent(`and ${what} is read as it is`, { tags: SHORT.has(what) ? [] : ['long'] }, async () => {
        const page = await show(html, { maxMs: 6000 })
        expect(page.text).toContain('before')
        expect(page.ms).toBeLessThan(underLoad(13_000))
      })

    test('and sends huge messages is read as far as possible', async () => {
      const page = await show(
        `<p>before</p><script>alert('x'.repeat(1e7)); fetch('data:text/plain,' + 'y'.repeat(1e7))</script>`,
      )
      expect(page.text).toContain('before')
    })

    test('and crashes is reported, and the next page works', async () => {
      const crashing = show(`<p>x</p><script>for (;;) {}</script>`, { maxMs: 10_000 })
      // Aborted, if its process ends before it has loaded.
      const crashed = expect(crashing).rejects.toThrow(/it crashed|ERR_ABORTED/)
      let isOver = false
      const end = (): void => void (isOver = true)
      crashing.then(end, end)
      await eventually(async () => {
        const pages = (await readBrowserMemory(live)).filter(({ isPage }) => isPage && !isOver)
        for (const { pid } of pages) killIfAlive(pid)
        return isOver
      })
      await crashed
      expect((await show(PROSE)).hasSettled).toBe(true)
    })

    test('and is deep or long is serialized within limits', async () => {
      const deep = await show(`<p>x</p><script>let at = document.body
        for (let i = 0; i < 500; i++) at = at.appendChild(document.createElement('div'))
        at.textContent = 'the bottom'</script>`)
      expect(deep.text).toContain('the bottom')
      const long = await show(`<p id=long></p><script>long.textContent = 'ü'.repeat(3e6)</script>`, {
        maxBytes: 100_000,
      })
      expect(long.isTruncated).toBe(true)
      expect(Buffer.byteLength(long.html)).toBeLessThanOrEqual(100_000)
      const many = await show(
        `<body><script>for (let i = 0; i < 20000; i++) document.body.append(document.createElement('p'), 'word')</script>`,
        { maxBytes: 50_000 },
      )
      expect(many).toMatchObject({ isTruncated: true })
      expect(Buffer.byteLength(many.html)).toBeLessThanOrEqual(50_000)
    })

    test('leaves nothing for the next: no cookies, no storage, no workers', async () => {
      site.routes.set('/worker.js', (_, response) => {
        response.setHeader('content-type', 'text/javascript')
        response.end(`self.onfetch = (event) => event.respondWith(new Response('<p>from the worker</p>', { headers: { 'content-type': 'text/html' } }))
          self.oninstall = () => self.skipWaiting(); self.onactivate = (event) => event.waitUntil(clients.claim())`)
      })
      site.routes.set(
        '/memory',
        `${PROSE}<p id=found></p><script>
        found.textContent = 'found: ' + document.cookie + (localStorage.a ?? '')
        document.cookie = 'a=1; max-age=9999'; localStorage.a = 'kept'
        navigator.serviceWorker?.register('/worker.js')</script>`,
      )
      for (let time = 0; time < 2; time++) expect((await visit('/memory', { settleMs: 300 })).text).toMatch(/found:$/)
    })

    test('gets no permission', async () => {
      const page = await show(`${PROSE}<p id=say></p><script>
        const names = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read']
        Promise.all(names.map((name) => navigator.permissions.query({ name }).then(({ state }) => state, () => 'denied')))
          .then((states) => say.textContent = 'states: ' + states)</script>`)
      expect(page.text).toMatch(/states: (denied,){4}denied/)
    })
  })

  test('that was cancelled is closed at once', async () => {
    const wanted = new AbortController()
    site.routes.set('/waiting', () => wanted.abort())
    const startedAt = performance.now()
    await expect(visit('/waiting', { signal: wanted.signal })).rejects.toMatchObject({ kind: 'aborted' })
    expect(performance.now() - startedAt).toBeLessThan(underLoad(RENDER_OPTIONS.maxMs / 2))
    await expect(visit('/waiting', { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'aborted' })
  })

  test('leaves no other page open, and the browser does not grow', { tags: ['long'] }, async () => {
    const html = `${PROSE.repeat(5)}<script>const list = []; for (let i = 0; i < 1e5; i++) list.push({ i })</script>`
    for (let time = 0; time < 5; time++) await show(html)
    const total = async (): Promise<number> =>
      (await readBrowserMemory(live)).reduce((sum, { bytes }) => sum + bytes, 0)
    const before = await total()
    for (let time = 0; time < 10; time++) await Promise.all([1, 2, 3, 4].map(() => show(html)))
    await expect
      .poll(async () => (await readBrowserMemory(live)).filter(({ isPage }) => isPage).length, { timeout: 5000 })
      .toBeLessThanOrEqual(2)
    expect((await total()) - before).toBeLessThan(100 * 1024 * 1024)
  })

  test('nothing is left after close', async () => {
    const { pid } = live
    expect(processesOf(pid).length).toBeGreaterThan(1)
    expect(profilesOf()).toHaveLength(1)
    await live.close()
    expect(processesOf(pid)).toEqual([])
    expect(profilesOf()).toEqual([])
  })
})

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has exited.
  }
}
