import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../../../../test/support/load.js'
import { extractContent } from './extract-content.js'

/** Quadratic work on input of this size takes longer than the worker's limit of 10 s. */
const MAX_CPU_MS = 3000
const SIZE = 300_000

const fill = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length))
const prose = '<p>Some text here for you, and some more of it.</p>'.repeat(20)
const page = (body: string, head = '<title>x</title>') =>
  `<!doctype html><html><head>${head}</head><body><main><h1>x</h1>${body}${prose}</main></body></html>`

const PAGES: Record<string, string> = {
  'spaces in code': page(`<pre>a${fill(' ')}x</pre>`),
  'spaces in a paragraph': page(`<p>a${fill(' ')}x</p>`),
  'line breaks in code': page(`<pre>${fill('\n')}x${fill('\n')}</pre>`),
  'lines of code': page(`<pre>${fill('<div>a</div>')}</pre>`),
  'pieces of code': page(fill('<pre>a</pre>')),
  'code in tables': page(`<table class="highlight">${fill('<tr><td class="linenos"><pre>1</pre></td></tr>')}</table>`),
  'line breaks': page(`<p>a${fill('<br>')}x</p>`),
  'line breaks first': page(`<p>${fill('<br>')}x</p>`),
  'hard spaces in a cell': page(`<table><tr><td>a${fill('&nbsp;')}x</td><td>b</td></tr></table>`),
  'line breaks in a cell': page(`<table><tr><td>a${fill('<br>')}x</td><td>b</td></tr></table>`),
  'spaces and backslashes in a cell': page(`<table><tr><td>a${fill('\\ ')}x</td><td>b</td></tr></table>`),
  'short rows below a long one': page(`<table><tr>${'<td>a'.repeat(200)}${fill('<tr><td>a')}</table>`),
  'cells that reach far': page(`<table>${fill('<tr><td colspan=50 rowspan=50>a<td>b')}</table>`),
  'symbols in a heading': page(`<h2>a${fill('#')}x</h2>`),
  'many first headings': page(fill('<h1>a</h1>'), `<title>${fill('b ')}</title>`),
  'a long name': page('', `<title>a${fill(' ')}x</title>`),
  'a long name of symbols': page('', `<title>a${fill('- ')}x</title>`),
  'a long name and many blocks': page(fill('<p>word</p>'), `<title>${fill('a')}</title>`),
  'a long name of a site': page(
    '',
    `<meta property="og:site_name" content="s"><meta property="og:title" content="a${fill(' ')}x s">`,
  ),
  'a name of symbols and its site': page(
    '',
    `<meta property="og:site_name" content="s"><meta property="og:title" content="a${fill(' -')}x s">`,
  ),
  'spaces in the data': page('', `<script>window.__DATA__={"a":1}${fill(' ')}x</script>`),
  'marks of comments in the data': page('', `<script type="application/ld+json">{${fill('--> ')}x</script>`),
  'types in the data': page('', `<script type="application/ld+json">{"@type":[${fill('"a",')}"b"]}</script>`),
  'symbols of comments in the data': page(
    '',
    `<script type="application/ld+json">{"a":"${'/*'.repeat(45_000)}"}</script>`,
  ),
  'spaces in the data of a page': page('', `<script type="application/ld+json">{"a":1${' '.repeat(90_000)}x}</script>`),
  'spaces in an alternative': page(`<img src="/a.png" alt="a${fill(' ')}x">`),
  'spaces in a refresh': page('', `<meta http-equiv="refresh" content="0${fill(' ')}x">`),
  'words of a paywall': page(`<p class="paywall">${fill('subscri')}</p>`),
  'symbols of a bot check': page(fill('awswaf.com/')),
  'nested boxes': fill('<div>') + 'x',
  'nested boxes that end': `${fill('<div>')}x${fill('</div>')}`,
  'nested drawings': page(fill('<div><svg></div>')),
  'drawings that end at once': page(fill('<svg/>')),
  'nested lists': page(fill('<ul><li>x')),
  'nested quotes': page(fill('<blockquote>x')),
  'lines within nested quotes': page('<blockquote>'.repeat(150) + fill('x<br>')),
  'paragraphs within nested lists': page('<ul><li>'.repeat(80) + fill('<p>x')),
  'nested emphasis': page(fill('<b>a<i>')),
  'nested links': page(fill('<a href="/a"><p>a</p>')),
  'nested tables': page(fill('<table><tr><td>a')),
  'nested roots': page(fill('<div id="root"><script></script>')),
  'text for readers without scripts': page(fill('<noscript>a</noscript>')),
  'empty formulas': page(fill('<math></math>')),
  formulas: page(fill('<math><mi>x</mi></math>')),
  'spaces in a formula': page(`<math alttext="{\\displaystyle ${fill(' ')}x"></math>`),
  'symbols in a formula': page(`<img class="tex" alt="a${fill('$')}x" src="/a.png">`),
  'lists of tabs': page(fill('<div role="tablist"><i role="tab">a</i></div><div role="tabpanel">b</div>')),
  'marks of notes': page(`<sup><a href="${fill('#')}\n">1</a></sup>`),
  attributes: page(`<p ${Array.from({ length: SIZE / 8 }, (_, at) => `a${at}=b`).join(' ')}>a</p>`),
  'a long base': page(fill('<a href="a">a</a>'), `<base href="/${fill('a')}/">`),
  'a long list of sources': page(`<img alt="a" src="/a.png" srcset="${fill('a')} x">`),
  'spaces in a property': page('', `<meta property="${fill(' ')}x" content="a">`),
  'spaces in a class': page(`<div class="a${fill(' ')}x"><p>a</p></div>`),
  'symbols in a class': page(`<div class="${fill('a-')}"><p>a</p></div>`),
  'a long address': page(`<a href="${fill('a')}">a</a>`),
  'a long word': page(`<p>${fill('a')}</p>`),
  dots: page(`<p>${fill('.')}</p>`),
  commas: page(`<p>${fill(', ')}</p>`),
  dashes: page(`<p>${fill('- ')}</p>`),
  'markup in text': page(`<p>${fill('_*')}</p>`),
  'brackets in text': page(`<p>${fill('[')}${fill('](')}</p>`),
  'symbols of code in text': page(`<code>${fill('`a')}${fill('`')}</code>`),
}

for (const [index, [name, html]] of Object.entries(PAGES).entries())
  test(`reads a hostile page in time: ${name}`, { tags: index % 4 === 0 ? [] : ['long'] }, () =>
    expectInTime('text/html', html),
  )

const MARKDOWN: Record<string, string> = {
  'spaces in a heading': `# a${fill(' ')}x`,
  'braces in a heading': `# a${fill('{#')}x`,
  'names in a heading': `# a${fill('{#a} ')}x`,
  'symbols in a heading': `# a${fill(' #')}x`,
  'brackets in a heading': `# ${fill('[')}x`,
  'links in a heading': `# ${fill('[](')}x`,
  'ends of links': `${fill('](')}x`,
  'open code': fill('`'),
  'open code and text': `${fill('`')}${fill('a')}`,
  'code of every length': Array.from({ length: 700 }, (_, at) => '`'.repeat(at)).join('a'),
  'spaces in a definition': `[a]:${fill(' ')}`,
  'spaces in the front matter': `---\ntitle: a${' '.repeat(19_000)}x\n---\n`,
  'unclosed front matter': `---\n${fill('---   ')}`,
}

test.each(Object.entries(MARKDOWN))('reads hostile Markdown in time: %s', (_, text) =>
  expectInTime('text/markdown', text),
)

const FEEDS: Record<string, string> = {
  'nested elements': `<rss><channel>${fill('<a>')}`,
  'nested entries': `<rss><channel>${fill('<item><title>a')}`,
  entries: `<rss><channel>${fill('<item><title>a</title></item>')}`,
  'language elements': `<rss><channel><item><title>a</title></item>${fill('<language> ')}`,
}

test.each(Object.entries(FEEDS))('reads a hostile feed in time: %s', (_, xml) =>
  expectInTime('application/rss+xml', xml),
)

test.each(['json', 'plain'])('reads hostile %s in time', async (type) => {
  await expectInTime(`text/${type}`, fill('['))
  await expectInTime(`text/${type}`, `a${fill(' ')}x`)
})

async function expectInTime(contentType: string, text: string): Promise<void> {
  for (const format of ['markdown', 'html'] as const) {
    const cpuMs = startCpuClock()
    const bytes = new TextEncoder().encode(text)
    await extractContent({ url: 'https://site.example/', contentType, bytes, format, fragment: '' })
    expect(cpuMs()).toBeLessThan(MAX_CPU_MS)
  }
}

test('keeps the text of deeply nested elements and the structure after them', async () => {
  const deep = `${'<div>'.repeat(1000)}<p>the deepest</p><script>let hidden</script>${'</div>'.repeat(1000)}`
  const { content } = await extractContent({
    url: 'https://site.example/',
    contentType: 'text/html',
    bytes: new TextEncoder().encode(`<main><h1>Deep</h1>${deep}<ul><li>one</li><li>two</li></ul></main>`),
    format: 'markdown',
    fragment: '',
  })
  expect(content).toBe('# Deep\n\nthe deepest\n\n- one\n- two')
})
