// Content from the web that is small and expands to gigabytes: the memory of the server stays bounded, and the result
// says what happened.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { forgetPeak, peakMegabytes } from '../image/support.js'
import { childrenOf, HAS_PROC, type TestClient } from '../support/client.js'
import { MEMORY_SLACK } from '../support/runtime.js'
import { pdfBomb, pdfWith } from './pdf-bomb.js'
import { article, openReader, openSite, readDocs, send, type Site } from './site.js'

/** Of the server alone. Before the limit, a PDF of 2 KB took more than 1,000 MB. */
const MOST_MEGABYTES = 120 * MEMORY_SLACK
/** Of a process that reads PDFs: its limit of 384 MB, and what it allocates between two checks. */
const MOST_WORKER_MEGABYTES = 700 * MEMORY_SLACK

let site: Site
let client: TestClient

beforeAll(async () => {
  site = await openSite()
  client = await openReader(site)
  await readDocs(client, site.add('/warm', article('Warm', '')))
  site.add('/plain.pdf', (_, response) => send(response, 200, 'application/pdf', pdfWith('/Length 0', Buffer.alloc(0))))
})

afterAll(async () => {
  await client?.close()
  await site?.close()
})

describe.skipIf(!HAS_PROC)('memory', () => {
  test('a PDF of 2 KB whose page expands to a gigabyte', async () => {
    const bytes = await pdfBomb(1024)
    expect(bytes.length).toBeLessThan(8192)
    const url = site.add('/bomb.pdf', (_, response) => send(response, 200, 'application/pdf', bytes))
    const before = peakOfServer()
    const workers = watchWorkers()
    for (let count = 0; count < 2; count++) {
      const result = await readDocs(client, `${url}?${count}`)
      expect(result).toMatchObject({
        isError: true,
        text: expect.stringMatching(
          // On a busy machine the process can reach its own limit before it is seen to use too much.
          /was fetched, but extracting its text (took more than 384 MB of memory|took longer than|crashed the PDF reader)/,
        ),
      })
    }
    expect(peakOfServer() - before).toBeLessThan(MOST_MEGABYTES)
    expect(workers.peak()).toBeLessThan(MOST_WORKER_MEGABYTES)
    // The next document is read as usual.
    expect((await readDocs(client, `${site.origin}/plain.pdf`)).text).toMatch(/is a PDF of 1 page without text/)
  })

  test.each([
    ['gzip', (bytes: Buffer) => gzipSync(bytes)],
    // The best quality, which is the default, takes seconds and makes it no smaller.
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
  ])('a page with content-encoding %s that expands to 200 MB', async (encoding, compress) => {
    const bytes = compress(Buffer.alloc(200 * 1024 * 1024, 'a '))
    const path = `/page-${encodeURIComponent(encoding)}`
    const url = site.add(path, (_, response) =>
      send(response, 200, 'text/plain', bytes, { 'content-encoding': encoding }),
    )
    const before = peakOfServer()
    const result = await readDocs(client, url)
    expect(result.text.slice(-200)).toContain('The page exceeds the size limit: this is its beginning.')
    expect(peakOfServer() - before).toBeLessThan(MOST_MEGABYTES)
  })
})

function peakOfServer(): number {
  const { pid = 0 } = client.child
  const peak = peakMegabytes(pid)
  forgetPeak(pid)
  return peak
}

function watchWorkers(): { peak(): number } {
  let most = 0
  const timer = setInterval(() => {
    for (const pid of childrenOf(client.child.pid)) most = Math.max(most, peakMegabytes(pid))
  }, 5)
  onTestFinished(() => clearInterval(timer))
  return { peak: () => most }
}
