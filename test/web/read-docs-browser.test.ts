// Pages that need JavaScript, in a real browser: the one of the system, or the one from npm for Linux.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { call, type Json, resultData, type TestClient } from '../support/client.js'
import { article, openReader, openSite, page, quoted, readDocs, send, type Site } from './site.js'

const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64'

const TEXT = 'This paragraph was written by a script when the page was opened, and not before. '
const app = (delayMs = 0, more = '') => `<div id="root"></div><script>
  setTimeout(() => { document.getElementById('root').innerHTML = '<main><h1>The app</h1>' + '<p>${TEXT}</p>'.repeat(12) + '</main>' }, ${delayMs});${more}
</script>`

describe.skipIf(!HAS_BROWSER)('with a browser', () => {
  let site: Site
  let client: TestClient

  beforeAll(async () => {
    site = await openSite()
    client = await openReader(site, { BROWSER_PATH: '' })
  })

  afterAll(async () => {
    await client?.close()
    await site?.close()
  })

  test('a page created by scripts is rendered by the browser, with progress', async () => {
    const url = site.add('/app', page('App', app()))
    const params = { name: 'ReadDocs', arguments: { url }, _meta: { progressToken: 'app' } }
    const { result } = await client.request('tools/call', params)
    expect([result.isError, resultData(result)]).toMatchObject([false, { status: 'ok', url }])
    expect(result.content[0].text).toMatch(/^HTML, in the browser after [\d.]+ s, /)
    expect(result.content[0].text).toContain(TEXT.trim())
    const delivered = 'The page needs JavaScript: opening it in the browser'
    expect(client.received.map(({ params: news }: Json) => news?.message)).toContain(delivered)
  })

  test('a page without scripts is not', async () => {
    const result = await readDocs(client, site.add('/plain', article('Plain', '<script>document.title = "x"</script>')))
    expect(result.structured).toMatchObject({ status: 'ok', title: 'Plain' })
    expect(result.text).not.toContain('in the browser')
  })

  test('wait_ms waits that much longer, and reports it', async () => {
    const url = site.add(
      '/late',
      page(
        'Late',
        `${'<p>Something is here already, and more will come. </p>'.repeat(20)}<div id="root"></div><script>
      setTimeout(() => { document.getElementById('root').textContent = 'At last it came.' }, 1500)</script>`,
      ),
    )
    expect(quoted(await readDocs(client, url))).not.toContain('At last')
    const result = await readDocs(client, url, { wait_ms: 2500 })
    expect(quoted(result)).toContain('At last it came.')
    expect(result.text).toMatch(/\[Waited [\d.]+ s in the browser, 2\.5 s of it for wait_ms\.\]/)
  })

  test('wait_ms does not send a PDF or a text to the browser', async () => {
    const url = site.add('/text', (_, response) => send(response, 200, 'text/plain', 'just text'))
    const result = await readDocs(client, url, { wait_ms: 100 })
    expect(quoted(result)).toBe('just text')
    expect(result.text).toContain('[wait_ms was ignored: this is not an HTML page.]')
  })

  test('a page with less content after its scripts is returned as plain HTTP had it', async () => {
    const html = page(
      'Short',
      `<p>It works, as few words as there are.</p><script>document.body.innerHTML = ''</script>`,
    )
    const result = await readDocs(client, site.add('/worse', html))
    expect(result).toMatchObject({ isError: false, structured: { status: 'ok' } })
    expect(quoted(result)).toContain('It works')
  })

  test('a page that stays empty in the browser is empty', async () => {
    const result = await readDocs(
      client,
      site.add('/void', page('Void', '<div id="root">Loading…</div><script>1</script>')),
    )
    expect(result).toMatchObject({ isError: true, structured: { status: 'empty' } })
    expect(result.text).toMatch(/even after \d+ ms in the browser/)
  })

  test('a server that accepts only browsers gets one request of a browser', async () => {
    const url = site.add('/guarded', ({ headers }, response) =>
      headers['sec-fetch-mode'] === 'navigate'
        ? send(response, 200, 'text/html', article('Guarded'))
        : send(response, 403, 'text/html', 'No.'),
    )
    expect((await readDocs(client, url)).structured).toMatchObject({ status: 'ok', title: 'Guarded' })
    const closed = site.add('/closed', (_, response) => send(response, 403, 'text/html', page('Closed', '<p>No.</p>')))
    expect((await readDocs(client, closed)).structured.status).toBe('blocked')
    expect(site.hits('/closed')).toBe(2)
  })

  test('a client-side route is opened in the browser', async () => {
    const route =
      'document.getElementById("root").innerHTML = "<main><h1>Route</h1><p>You are at " + location.hash + ", as the address says, and nowhere else in this app.</p></main>"'
    const url = site.add('/router', page('Router', `<div id="root"></div><script>${route}</script>`))
    expect(quoted(await readDocs(client, `${url}#/settings`))).toContain('You are at #/settings')
  })

  test('a page cannot reach forbidden addresses', async () => {
    const secret = await openSite()
    try {
      secret.add('/secret', (_, response) =>
        send(response, 200, 'text/plain', 'secret', { 'access-control-allow-origin': '*' }),
      )
      const reach = `fetch('${secret.origin}/secret').then((r) => r.text()).then((t) => { document.body.append(t) }).catch(() => {})`
      await readDocs(client, site.add('/curious', page('Curious', app(0, reach))), { wait_ms: 300 })
      expect(secret.requests).toHaveLength(0)
    } finally {
      await secret.close()
    }
  })
})

test('without a browser the result of plain HTTP says what to install', async () => {
  const site = await openSite()
  const client = await openReader(site)
  try {
    const url = site.add('/half', page('Half', `<p>Loading the documentation, please wait.</p>${app()}`))
    const result = await readDocs(client, url)
    expect(result).toMatchObject({ isError: true, structured: { status: 'needs_javascript' } })
    expect(result.text).toMatch(/fetched over HTTP; its scripts did not run\. No browser is used: BROWSER_PATH is off/)
    expect(quoted(result)).toContain('Loading the documentation')
    expect((await call(client, 'ReadDocs', { url, wait_ms: 100 })).isError).toBe(true)
  } finally {
    await client.close()
    await site.close()
  }
})
