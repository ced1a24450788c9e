// A site on loopback that the load reads pages, texts and pictures from. Pages differ by their address, so that none of
// them is in the cache of ReadDocs.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { resolve } from 'node:path'

const PICTURE = resolve(import.meta.dirname, '../../docs/pictures/jobs-light.png')
const WORDS = 'The value of a measurement is what it lets the reader decide next. '

/** `host` is what FETCH_ALLOW takes. */
export async function openSite() {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://site')
    const [, kind = '', number = '0'] = url.pathname.split('/')
    const [type, body] = answerOf(kind, Number(number))
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body)
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address()
  return {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answerOf(kind, number) {
  if (kind === 'page') return ['text/html; charset=utf-8', page(number)]
  if (kind === 'text') return ['text/plain; charset=utf-8', `text-${number}\n${WORDS.repeat(100)}`]
  if (kind === 'data') return ['application/json', JSON.stringify({ number, values: Array(200).fill(WORDS) })]
  if (kind === 'picture') return ['image/png', readFileSync(PICTURE)]
  return ['text/plain', undefined]
}

function page(number) {
  const sections = Array.from(
    { length: 5 + (number % 60) },
    (_, at) => `<h2>Section ${at} of ${number}</h2><p>${WORDS.repeat(12)}</p><ul><li>one</li><li>two</li></ul>`,
  )
  return `<!doctype html><title>Page ${number}</title><main><h1>Page ${number}</h1>${sections.join('\n')}</main>`
}
