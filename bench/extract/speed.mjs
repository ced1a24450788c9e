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
  'the of and a to in is that it was for on are as with they at be this from have or by one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know get through back much go good new write our used me man too any day same right look think also around another came come work three word must because does part even place well such here take why help put different away again off went old number great tell men say small every found still between name should home big give air line set own under read last never us left end along while might next sound below saw something thought both few those always looked show large often together asked house world going want school important until form food keep children feet land side without boy once animals life enough took sometimes four head above kind began almost live page got earth need far hand high year mother light parts country father let night following picture being study second eyes soon times story boys since white days ever paper hard near sentence better best across during today others however sure means knew try told young miles sun ways thing whole hear example heard several change answer room sea against top turned learn point city play toward five using himself usually'.split(
    ' ',
  )

/** The same at every run. */
function writer(seed) {
  let state = seed
  const pick = (below) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
  const words = (count) => Array.from({ length: count }, () => WORDS[pick(WORDS.length)]).join(' ')
  const sentence = () =>
    `${words(1).replace(/^./, (first) => first.toUpperCase())} ${words(4 + pick(8))}, ${words(3 + pick(9))}.`
  return { pick, words, sentence, text: (count) => Array.from({ length: count }, sentence).join(' ') }
}

function around(main) {
  const { words } = writer(3)
  const links = () =>
    Array.from({ length: 60 }, (_, at) => `<li class="menu-item"><a href="/section/${at}">${words(2)}</a></li>`).join(
      '',
    )
  return `<!doctype html><html lang="en"><head><title>A long article</title></head><body><header><nav><ul>${links()}</ul></nav></header><main>${main}</main><aside class="sidebar"><ul>${links()}</ul></aside><footer><ul>${links()}</ul></footer></body></html>`
}

function articleHtml() {
  const { pick, words, sentence, text } = writer(5)
  const parts = []
  for (let length = 0; length < 185_000; length += parts.at(-1).length) {
    const links = `<p class="text">${text(2)} <a href="/see/${pick(900)}">${words(3)}</a> ${text(3)}</p>`
    const list = pick(3) === 0 ? `<ul><li>${sentence()}</li><li>${sentence()}</li></ul>` : ''
    const code = pick(5) === 0 ? `<pre><code class="language-js">const a = ${pick(99)}\nrun(a)</code></pre>` : ''
    parts.push(`<h2 id="part-${parts.length}">${words(4)}</h2>${links}<p class="text">${text(5)}</p>${list}${code}`)
  }
  return around(`<article><h1>A long article</h1>${parts.join('\n')}</article>`)
}

function hugeHtml() {
  const { words, sentence } = writer(9)
  const section = (_, at) =>
    `<section id="s${at}"><h2>Section ${at}</h2><p>${sentence()} ${words(9)} <a href="#s${at + 1}">next</a></p><ul><li>${words(8)}</li><li>${words(6)}</li></ul></section>`
  return around(Array.from({ length: 20_000 }, section).join('\n'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await (process.argv[2] === 'huge' ? huge() : article()))
}
