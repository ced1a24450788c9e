// How long the extractor takes for a long article and for a huge page, both made here, and how much memory the huge one
// takes. Each in a process of its own, so that nothing is warm that should not be.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { openBuilt } from './built.mjs'

const RUNS = 15

export function measureSpeed() {
  const lines = ['article', 'huge'].map((what) => {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), what], { encoding: 'utf8' })
    return child.stdout === '' ? `${what}: ${child.stderr}` : child.stdout
  })
  return `${lines.join('')}\n`
}

async function article() {
  const bytes = new TextEncoder().encode(articleHtml())
  const extractor = await openBuilt()
  const source = { url: 'https://example.com/a', bytes, format: 'markdown' }
  const cold = (await extractor.read(source)).ms
  for (let run = 0; run < 5; run++) await extractor.read(source)
  const times = []
  for (let run = 0; run < RUNS; run++) times.push((await extractor.read(source)).ms)
  times.sort((a, b) => a - b)
  await extractor.close()
  return `article of ${size(bytes)}: first ${cold.toFixed(0)} ms, then p50 ${times[Math.floor(RUNS / 2)].toFixed(0)} ms\n`
}

async function huge() {
  const before = process.memoryUsage().rss
  const bytes = new TextEncoder().encode(hugeHtml())
  const extractor = await openBuilt()
  const { reading, problem, ms } = await extractor.read({ url: 'https://example.com/h', bytes, format: 'markdown' })
  await extractor.close()
  const most = process.resourceUsage().maxRSS / 1024
  const what = reading === undefined ? `failed: ${JSON.stringify(problem)}` : `${reading.outline.length} headings`
  return `page of ${size(bytes)}: ${ms.toFixed(0)} ms from a cold start, ${most.toFixed(0)} MB at most (${(before / 2 ** 20).toFixed(0)} MB before), ${what}\n`
}

function size(bytes) {
  return bytes.length > 2 ** 20 ? `${(bytes.length / 1e6).toFixed(1)} MB` : `${Math.round(bytes.length / 1000)} KB`
}

const WORDS =
  'the quick measure of water and stone that runs along every river in old countries where people still count'.split(
    ' ',
  )

function sentence(seed, length) {
  return (
    Array.from({ length }, (_, at) => WORDS[(seed * 7 + at * 5 + ((seed * at) % 11)) % WORDS.length]).join(' ') + '.'
  )
}

function around(main) {
  const links = Array.from(
    { length: 60 },
    (_, at) => `<li class="menu-item"><a href="/section/${at}">${sentence(at, 2)}</a></li>`,
  ).join('')
  return `<!doctype html><html lang="en"><head><title>A long article</title></head><body><header><nav><ul>${links}</ul></nav></header><main>${main}</main><aside class="sidebar"><ul>${links}</ul></aside><footer><ul>${links}</ul></footer></body></html>`
}

function articleHtml() {
  const parts = []
  for (let at = 0, length = 0; length < 185_000; at++) {
    const part = `<h2 id="part-${at}">${sentence(at, 4)}</h2><p class="text">${sentence(at, 60)} <a href="/see/${at}">${sentence(at + 1, 3)}</a> ${sentence(at + 2, 50)}</p><ul><li>${sentence(at, 9)}</li><li>${sentence(at + 3, 12)}</li></ul>${at % 5 === 0 ? `<pre><code class="language-js">const a = ${at}\nrun(a)</code></pre>` : ''}`
    length += part.length
    parts.push(part)
  }
  return around(`<article><h1>A long article</h1>${parts.join('\n')}</article>`)
}

function hugeHtml() {
  const parts = Array.from(
    { length: 20_000 },
    (_, at) =>
      `<section id="s${at}"><h2>Section ${at}</h2><p>${sentence(at, 25)} <a href="#s${at + 1}">next</a></p><ul><li>${sentence(at, 8)}</li><li>${sentence(at, 6)}</li></ul></section>`,
  )
  return around(parts.join('\n'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await (process.argv[2] === 'huge' ? huge() : article()))
}
