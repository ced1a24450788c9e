// What it costs to read a page: an article of 204 KB over plain HTTP, one of 6 MB, and one that its scripts write, in the
// warm browser. Every call has an address of its own, so that each is fetched and taken apart. Beside it, the same page
// fetched and thrown away.

import { createServer } from 'node:http'

import { withShellServers } from './shell-client.mjs'
import { peakMebibytes } from './system.mjs'

const WARM_UP = 3
const HUGE_BYTES = 6 * 1024 * 1024
const ARTICLE_BYTES = 204 * 1024

const WORDS =
  'harbour lighthouse keeper weather evening morning ledger signal anchor rope lantern chart tide current'.split(' ')

const sentence = (seed) =>
  Array.from({ length: 14 }, (_, at) => WORDS[(seed * 7 + at * 5 + ((seed * at) % 3)) % WORDS.length]).join(' ')

const section = (number) => `
<h2 id="section-${number}">Section ${number}: ${sentence(number)}</h2>
<p>${sentence(number + 1)}, <a href="/other/${number}">${sentence(number + 2)}</a>. ${sentence(number + 3)}. ${sentence(number + 4)}.</p>
<ul><li>${sentence(number + 5)}</li><li><code>value_${number}</code> ${sentence(number + 6)}</li></ul>
<pre><code class="language-js">const value_${number} = compute(${number})\nreturn value_${number}</code></pre>`

const chrome = '<nav>' + '<a href="/x">Menu entry</a>'.repeat(40) + '</nav>'

const article = (bytes) => {
  const head = `<!doctype html><html lang="en"><head><title>An article</title></head><body>${chrome}<main><article><h1>An article</h1>`
  const parts = [head]
  let size = head.length
  for (let number = 0; size < bytes; number++) {
    const part = section(number)
    parts.push(part)
    size += part.length
  }
  return `${parts.join('')}</article></main><footer>${chrome}</footer></body></html>`
}

const APP = `<!doctype html><html><head><title>An app</title></head><body><div id="root"></div><script>
const root = document.getElementById('root')
setTimeout(() => { root.innerHTML = '<main><h1>An app</h1>' + '<p>${sentence(1)}, and ${sentence(2)}.</p>'.repeat(30) + '</main>' }, 20)
</script></body></html>`

const PAGES = new Map([
  ['/article', article(ARTICLE_BYTES)],
  ['/huge', article(HUGE_BYTES)],
  ['/app', APP],
])

const openSite = async () => {
  const server = createServer(({ url }, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGES.get(url.split('?')[0])),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { host: `127.0.0.1:${server.address().port}`, close: () => server.close() }
}

const fetchAlone = async (url) => {
  const startedAt = performance.now()
  await (await fetch(url)).text()
  return performance.now() - startedAt
}

const read = async (client, url, isRight) => {
  const answer = await client.request('tools/call', { name: 'ReadDocs', arguments: { url } })
  const text = answer.result?.content?.[0]?.text ?? ''
  if (answer.result?.isError !== false || !isRight(text))
    throw new Error(`not a success: ${JSON.stringify(answer.reply).slice(0, 300)}`)
  return answer.ms
}

const ROWS = [
  { row: 'docsArticle', path: '/article', turns: 20, isRight: (text) => text.includes('Section 3:') },
  { row: 'docsHuge', path: '/huge', turns: 3, isRight: (text) => text.includes('Section 3:') },
  { row: 'docsApp', path: '/app', turns: 10, isRight: (text) => text.includes('in the browser, after') },
]

export const documentsPhase = {
  name: 'documents',
  subjects: ['server'],
  over: 'shell',
  async round([{ key, shell }], recordFor, { note }) {
    const site = await openSite()
    const env = { FETCH_ALLOW: site.host }
    try {
      for (const { row, path, turns, isRight } of ROWS) {
        await withShellServers([{ key, command: shell, env }], async ([client]) => {
          let number = 0
          const next = () => `http://${site.host}${path}?${++number}`
          for (let turn = 0; turn < WARM_UP; turn++) await read(client, next(), isRight)
          for (let turn = 0; turn < turns; turn++) {
            recordFor('fetch')(row, await fetchAlone(next()))
            recordFor(key)(row, await read(client, next(), isRight))
          }
          recordFor(key)(`${row}Peak`, peakMebibytes(client.pid))
        }).catch((error) => note(`${path}: ${error.message}`))
      }
    } finally {
      site.close()
    }
  },
  full: { rounds: 3 },
  quick: { rounds: 1 },
}
