import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import type { ExtractRequest } from './extract-types.js'
import { openExtractor } from './extractor.js'

const partsDir = resolve(import.meta.dirname, '../../../../../../dist')
const extractor = openExtractor({ partsDir })
afterAll(() => extractor.close())

function createRequest(text: string, more: Partial<ExtractRequest> = {}): ExtractRequest {
  const bytes = new TextEncoder().encode(text)
  return { url: 'https://site.example/', contentType: 'text/html', bytes, format: 'markdown', fragment: '', ...more }
}

const SENTENCE = 'There are words in this page, enough of them to be read by anyone who wants to read them.'

test('reads a page in the worker thread', async () => {
  const result = await extractor.read(createRequest(`<title>T</title><h1>T</h1><p>${SENTENCE}</p>`))
  expect(result).toMatchObject({ kind: 'html', title: 'T', content: `# T\n\n${SENTENCE}` })
})

test('rejects with a Failure if the content cannot be read', async () => {
  const image = { ...createRequest(''), bytes: Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), contentType: 'image/jpeg' }
  const result = extractor.read(image)
  await expect(result).rejects.toThrow(Failure)
  await expect(result).rejects.toThrow('a JPEG image')
})

const many = (count: number, piece: string | ((at: number) => string)) =>
  Array.from({ length: count }, (_, at) => (typeof piece === 'string' ? piece : piece(at))).join('')

/** Each of these must yield a result or a Failure. */
const HOSTILE: readonly [string, () => string][] = [
  ['100,000 nested elements', () => `${many(100_000, '<div>')}${SENTENCE}`],
  ['5,000 nested lists', () => `${many(5000, '<ul><li>')}${SENTENCE}`],
  ['3,000 nested tables', () => `${many(3000, '<table><tr><td>')}${SENTENCE}`],
  ['20,000 nested emphases', () => `<p>${many(20_000, '<b><i>')}${SENTENCE}`],
  ['a million attributes', () => `<p ${many(1_000_000, (at) => `a${at} `)}>${SENTENCE}</p>`],
  [
    'a class of a million words',
    () =>
      `<pre class="${many(1_000_000, 'language ')}"><code class="${many(100_000, 'line-')}">x</code></pre><p>${SENTENCE}</p>`,
  ],
  ['a style of megabytes', () => `<p style="${many(500_000, 'height:0;')}">${SENTENCE}</p>`],
  ['one text of megabytes', () => `<p>${many(30_000, SENTENCE)}</p>`],
  ['tags that are never closed', () => many(4000, '<p><a href="x"><b>word ')],
  ['closing tags only', () => many(50_000, '</div></p>')],
  ['megabytes of comments', () => `${many(100_000, `<!-- ${SENTENCE} -->`)}<p>${SENTENCE}</p>`],
  ['a comment without an end', () => `<p>${SENTENCE}</p><!--${many(100_000, ' -- > ')}`],
  [
    'entities of entities',
    () => `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><p>${many(100_000, '&b;&amp;amp;&#x110000;&#0;')}</p>`,
  ],
  ['megabytes of spaces', () => `<p>${SENTENCE}${' '.repeat(2_000_000)}x${'\n'.repeat(500_000)}</p>`],
  [
    'Markdown symbols',
    () =>
      `<p>${'*'.repeat(100_000)} ${'_'.repeat(100_000)} ${'`'.repeat(100_000)} ${'['.repeat(100_000)} ${']('.repeat(50_000)} ${'<'.repeat(100_000)} ${'\\'.repeat(100_000)}</p>`,
  ],
  ['lines of symbols', () => `<p>${many(20_000, '#<br>-<br>1.<br>&gt;<br>')}</p>`],
  [
    'cells that reach over everything',
    () => `<table>${many(2000, '<tr><td colspan="100000000" rowspan="100000000">x</td><td>y</td></tr>')}</table>`,
  ],
  ['30,000 links', () => many(30_000, (at) => `<a href="/${at}">link ${at}</a> `)],
  [
    '20,000 raised marks',
    () =>
      `<p>${many(20_000, (at) => `<sup><a href="#n${at}">${at}</a></sup>`)}</p><ol>${many(2000, (at) => `<li id="n${at}">note</li>`)}</ol>`,
  ],
  [
    '5,000 lists of tabs',
    () => many(5000, '<div><div role="tablist"><span role="tab">a</span></div><div role="tabpanel">b</div></div>'),
  ],
  [
    'deep data',
    () =>
      `<script type="application/ld+json">${'['.repeat(100_000)}</script><script type="application/ld+json">${many(2000, '{"a":')}1${'}'.repeat(2000)}</script>`,
  ],
  [
    'data without end',
    () => `<script id="__NEXT_DATA__" type="application/json">["${many(50_000, 'word ')}"]</script>`,
  ],
  ['script in everything', () => many(20_000, '<script>a</script><style>b</style><svg><title>c</title></svg>')],
  ['a head without an end', () => `<head><title>${SENTENCE.repeat(10_000)}`],
  ['math without end', () => `<math>${many(5000, '<mrow><mfrac><mi>a</mi>')}</math>`],
  ['a page of one word many times', () => `<p>${many(400_000, 'a ')}</p>`],
]

for (const [index, [name, make]] of HOSTILE.entries())
  test(`hostile: ${name}`, { tags: index % 4 === 0 ? [] : ['long'] }, async () => {
    const end = await extractor.read(createRequest(make())).then(
      (reading) => typeof reading.content,
      (error: unknown) => (error instanceof Failure ? 'failure' : error),
    )
    expect(['string', 'failure']).toContain(end)
  })

test('still reads pages after hostile input', async () => {
  const result = await extractor.read(createRequest(`<h1>T</h1><p>${SENTENCE}</p>`))
  expect(result.content).toContain(SENTENCE)
})

test('a page above the classifier limit is read by the landmark rule', async () => {
  const slowExtractor = openExtractor({ partsDir, timeoutMs: 100_000 })
  const sections = many(
    8000,
    (at) => `<section id="s${at}"><h2>Part ${at}</h2><p>${SENTENCE} ${SENTENCE}</p></section>`,
  )
  const reading = await slowExtractor.read(
    createRequest(`<title>T</title><nav><a href="/">Home</a></nav><main>${sections}</main><footer>end</footer>`),
  )
  expect(reading.outline).toHaveLength(8001)
  expect(reading.content).not.toMatch(/Home|end$/)
  await slowExtractor.close()
})

test('cancels a read', async () => {
  const own = openExtractor({ partsDir })
  const cancel = new AbortController()
  const result = own.read(createRequest(`<p>${SENTENCE}</p>`), cancel.signal)
  cancel.abort(new Error('cancelled'))
  await expect(result).rejects.toThrow('cancelled')
  await own.close()
  await expect(own.read(createRequest('<p>x</p>'))).rejects.toThrow('The server is closing.')
})

test('stops a read that takes too long', async () => {
  const own = openExtractor({ partsDir, timeoutMs: 1 })
  await expect(own.read(createRequest(many(20_000, `<p>${SENTENCE}</p>`)))).rejects.toThrow(/took longer than/)
  await own.close()
})

test('an idle thread does not keep the process alive, and its libraries are loaded only in the thread', async () => {
  const script = `
    import { createRequire } from 'node:module'
    import { pathToFileURL } from 'node:url'
    const { openExtractor } = await import(pathToFileURL(process.argv[1] + '/judge/extractor.mjs'))
    const page = { url: 'https://site.example/', contentType: '', bytes: new TextEncoder().encode('<p>Some words</p>'), format: 'text', fragment: '' }
    const { content } = await openExtractor({ partsDir: process.argv[1] }).read(page)
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => /linkedom|defuddle|readability|htmlparser2/.test(file))
    console.log(JSON.stringify([content, loaded]))`
  const args = ['--input-type=module', '-e', script, partsDir]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 240_000 })
  expect(JSON.parse(stdout)).toEqual(['Some words', []])
})
