// Requests to servers: as few as possible, only what robots.txt allows if that is configured, and nothing twice.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import type { TestClient } from '../support/client.js'
import { article, openReader, openSite, quoted, readDocs, send, type Site } from './site.js'

let site: Site
let client: TestClient

beforeAll(async () => {
  site = await openSite()
  client = await openReader(site)
})

afterAll(async () => {
  await client?.close()
  await site?.close()
})

test('another format and another section of a page need no request', async () => {
  const url = site.add(
    '/once',
    article('Once', '<h2 id="two">Two</h2><p>The second section has these words in it.</p>'),
  )
  await readDocs(client, url)
  await readDocs(client, url, { format: 'text' })
  await readDocs(client, url, { format: 'html' })
  expect(quoted(await readDocs(client, `${url}#two`))).toContain('The second section')
  expect(site.hits('/once')).toBe(1)
})

test('a page without a lifetime is revalidated with its validators', async () => {
  let version = 1
  const seen: (string | undefined)[] = []
  const url = site.add('/tagged', ({ headers }, response) => {
    seen.push(headers['if-none-match'])
    const etag = `"${version}"`
    const caching = { 'cache-control': 'no-cache', etag }
    if (headers['if-none-match'] === etag) response.writeHead(304, caching).end()
    else send(response, 200, 'text/html', article(`Version ${version}`), caching)
  })
  const first = await readDocs(client, url)
  const second = await readDocs(client, url)
  expect(quoted(second)).toBe(quoted(first))
  version = 2
  expect((await readDocs(client, url)).structured.title).toBe('Version 2')
  expect((await readDocs(client, url)).structured.title).toBe('Version 2')
  expect(seen).toEqual([undefined, '"1"', '"1"', '"2"'])
})

test('a failed revalidation keeps the cached page', async () => {
  let isDown = false
  const url = site.add('/flaky', (request, response) => {
    if (isDown) request.socket.destroy()
    else send(response, 200, 'text/html', article('Flaky'), { 'cache-control': 'no-cache', etag: '"1"' })
  })
  await readDocs(client, url)
  isDown = true
  const result = await readDocs(client, url)
  expect(result).toMatchObject({ isError: false, structured: { status: 'ok', title: 'Flaky' } })
  expect(result.text).toMatch(/\[This is a cached version: the page could not be fetched again\. /)
})

test('no-store responses and failures are requested again', async () => {
  const url = site.add('/passing', (_, response) =>
    send(response, 200, 'text/html', article('Passing'), { 'cache-control': 'no-store' }),
  )
  await readDocs(client, url)
  await readDocs(client, url)
  expect(site.hits('/passing')).toBe(2)
  let status = 500
  const broken = site.add('/broken', (_, response) => send(response, status, 'text/html', article('Repaired')))
  expect((await readDocs(client, broken)).structured.status).toBe('http_error')
  status = 200
  expect((await readDocs(client, broken)).structured.status).toBe('ok')
})

test('robots.txt is requested only if configured, once, and obeyed', async () => {
  const other = await openSite()
  onTestFinished(() => other.close())
  other.add('/open', article('Open'))
  other.add('/closed', article('Closed'))
  other.add('/robots.txt', (_, response) => send(response, 200, 'text/plain', 'User-agent: *\nDisallow: /closed\n'))
  const free = await openReader(other)
  onTestFinished(async () => void (await free.close()))
  expect((await readDocs(free, `${other.origin}/closed`)).structured.status).toBe('ok')
  expect(other.hits('/robots.txt')).toBe(0)

  const polite = await openReader(other, { READDOCS_ROBOTS: '1' })
  onTestFinished(async () => void (await polite.close()))
  const before = other.hits('/closed')
  expect((await readDocs(polite, `${other.origin}/open`)).structured.status).toBe('ok')
  const result = await readDocs(polite, `${other.origin}/closed`, { wait_ms: 10 })
  expect(result).toMatchObject({ isError: true, structured: { status: 'refused' } })
  expect(result.text).toMatch(/robots\.txt .* disallows .*READDOCS_ROBOTS/)
  expect(other.hits('/closed')).toBe(before)
  other.add('/sly', (_, response) => response.writeHead(302, { location: '/closed' }).end())
  expect((await readDocs(polite, `${other.origin}/sly`)).structured.status).toBe('refused')
  expect(other.hits('/robots.txt')).toBe(1)
})

test.each([
  [404, 'ok'],
  [503, 'refused'],
])('a robots.txt that answers with %d means %s', async (status, outcome) => {
  const other = await openSite()
  onTestFinished(() => other.close())
  other.add('/page', article('Page'))
  other.add('/robots.txt', (_, response) => send(response, status, 'text/plain', 'User-agent: *\nDisallow: /\n'))
  const polite = await openReader(other, { READDOCS_ROBOTS: '1' })
  onTestFinished(async () => void (await polite.close()))
  expect((await readDocs(polite, `${other.origin}/page`)).structured.status).toBe(outcome)
})

test('a server that shuts down does not wait for a page', async () => {
  const asked = new Promise<void>((resolve) => void site.add('/endless', () => resolve()))
  const leaving = await openReader(site)
  const read = readDocs(leaving, `${site.origin}/endless`).catch(() => undefined)
  await asked
  leaving.child.kill('SIGTERM')
  await leaving.close()
  await read
  expect(leaving.stderr()).toBe('')
})
