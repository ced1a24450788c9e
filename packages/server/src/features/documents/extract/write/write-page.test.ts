import fc from 'fast-check'
import { expect, test } from 'vitest'

import { parseHtmlTree } from '../dom/tree.js'
import { writePage } from './write-page.js'

const BASE = 'https://docs.example/guide/page.html'

const markdown = (input: string) => writePage(parseHtmlTree(input).children, BASE, 'markdown', '').content
const text = (input: string) => writePage(parseHtmlTree(input).children, BASE, 'text', '').content

const TAGS =
  'p div span a b em code pre ul ol li table tr td th blockquote h1 h2 h6 dl dt dd br hr img sup sub details summary del button section figure figcaption math'.split(
    ' ',
  )
const ATTRIBUTES = fc.dictionary(
  fc.constantFrom('class', 'id', 'href', 'src', 'alt', 'colspan', 'rowspan', 'start', 'style', 'role', 'data-math'),
  fc.oneof(
    fc.constantFrom(
      'admonition note',
      'language-js',
      'line-number',
      '#x',
      '../up',
      'javascript:alert(1)',
      '99999',
      '-1',
      'display',
      'tabpanel',
    ),
    fc.string({ maxLength: 12 }),
  ),
  { maxKeys: 3 },
)

interface Part {
  readonly tag: string
  readonly attributes: Record<string, string>
  readonly inside: readonly (Part | string)[]
}

const { part } = fc.letrec<{ part: Part; inside: (Part | string)[] }>((tie) => ({
  part: fc.record({ tag: fc.constantFrom(...TAGS), attributes: ATTRIBUTES, inside: tie('inside') }),
  inside: fc.array(
    fc.oneof(
      { maxDepth: 5 },
      fc.string({ maxLength: 15 }),
      fc.constantFrom('a|b', '* x', '# y', '[z](w)', '```', ' ', '\n'),
      tie('part'),
    ),
    { maxLength: 4 },
  ),
}))

function html({ tag, attributes, inside }: Part): string {
  const attributeText = Object.entries(attributes).map(([name, value]) => ` ${name}="${value.replace(/["&<>]/g, '')}"`)
  return `<${tag}${attributeText.join('')}>${inside.map((piece) => (typeof piece === 'string' ? piece.replaceAll('<', '&lt;') : html(piece))).join('')}</${tag}>`
}

test('writes any tree in every format, and the outline points at its headings', () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 4 }),
      fc.constantFrom('markdown' as const, 'text' as const, 'html' as const),
      (parts, format) => {
        const { content, outline } = writePage(parseHtmlTree(parts.map(html).join('')).children, BASE, format, 'A name')
        const lines = content.split('\n')
        for (const { line, level } of outline) {
          expect(lines[line]).toBeDefined()
          if (format === 'markdown') expect(lines[line]).toContain(`${'#'.repeat(level)} `)
          if (format === 'html') expect(lines[line]).toContain(`<h${level}`)
        }
        expect(content.replace(/[\n\t]/g, ' ')).not.toMatch(/\p{Cc}/u)
        if (format !== 'html') expect(content).not.toMatch(/\n{3,}/)
      },
    ),
    { numRuns: 400 },
  )
})

test('links and images have absolute URLs only', () => {
  const addresses = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '//other.example/x',
      '?q=1',
      '#part',
      'a b(c)',
      'http://[',
      '\u0001javascript:x',
      ' JaVaScRiPt:x',
    ),
  )
  fc.assert(
    fc.property(addresses, (address) => {
      const quoted = address.replace(/["&<>]/g, '')
      const written = markdown(`<p><a href="${quoted}">words</a> <img alt="alt" src="${quoted}"></p>`)
      for (const [, found = ''] of written.matchAll(/\]\(([^)]*)\)/g))
        expect(found).toMatch(/^(?:https?|mailto|ftp|tel):/)
    }),
  )
})

test('code keeps every character', () => {
  const line = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
      fc.pre(!lines.every((some) => some.startsWith('$ ')))
      const code = lines.join('\n')
      const escaped = code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      const [, fence = '', inside] = /^(`+)\n([^]*)\n\1$/.exec(markdown(`<pre><code>${escaped}</code></pre>`)) ?? []
      expect(inside).toBe(code)
      expect(code).not.toContain(fence)
    }),
  )
})

test('no text is lost', () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/)
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('p', 'li', 'td', 'dd', 'blockquote', 'h3', 'figcaption', 'summary', 'em', 'a'),
      (words, tag) => {
        const written = text(`<div><${tag}>${words.join(` </${tag}><${tag}>`)}</${tag}></div>`)
        for (const found of words) expect(written).toContain(found)
      },
    ),
  )
})

test.each([
  ['emphasis with its spaces outside', '<p>a<b> bold </b>word</p>', 'a **bold** word'],
  ['no nested markup of one kind', '<p><b><b>x</b></b></p>', '**x**'],
  ['a break', '<p>one<br>two</p>', 'one\\\ntwo'],
  ['literal asterisks and underscores', '<p>2 * 3 *x* snake_case _y_</p>', '2 * 3 \\*x\\* snake_case \\_y\\_'],
  [
    'text that looks like a list',
    '<p>1. No list</p><p>- nor this</p><p># nor that</p>',
    '1\\. No list\n\n\\- nor this\n\n\\# nor that',
  ],
  ['tags in text', '<p>a &lt;div&gt; and 1 &lt; 2</p>', 'a \\<div> and 1 < 2'],
  ['code with a backtick', '<p><code>a`b</code></p>', '``a`b``'],
  ['a linked name in code', '<p><code><a href="/x">run()</a></code></p>', '[`run()`](https://docs.example/x)'],
  ['without the heading anchor', '<h2 id="a">Part<a class="headerlink" href="#a">¶</a></h2>', '## Part'],
  [
    'an image without alt text is dropped',
    '<p><img src="/a.png" alt=""><img src="data:image/png;base64,xx" alt="b">x</p>',
    'x',
  ],
  [
    'a lazy image',
    '<p><img data-src="/a.png" src="data:image/gif;base64,R0" alt="Alt"></p>',
    '![Alt](https://docs.example/a.png)',
  ],
  ['a URL with parentheses', '<p><a href="/a_(b)">x</a></p>', '[x](https://docs.example/a_%28b%29)'],
  [
    'lists of lists',
    '<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>',
    '- a\n  1. b\n     - c\n- d',
  ],
  ['a list within a list without item', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
  ['an item of paragraphs', '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
  ['a list that begins at 3', '<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
  ['tasks', '<ul><li><input type="checkbox" checked>a</li><li><input type="checkbox">b</li></ul>', '- [x] a\n- [ ] b'],
  ['code in an item', '<ul><li>a<pre><code>b\n\nc</code></pre></li></ul>', '- a\n\n  ```\n  b\n\n  c\n  ```'],
  ['definitions', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>', '- **a**\n\n  b\n\n- **c**\n\n  d'],
  ['a quote', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  [
    'a table',
    '<table><tr><th>a</th><th>b</th></tr><tr><td>x|y</td><td>1<br>2</td></tr></table>',
    '| a | b |\n| --- | --- |\n| x\\|y | 1<br>2 |',
  ],
  [
    'a table without a header',
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
    '| | |\n| --- | --- |\n| a | b |\n| c | d |',
  ],
  [
    'cells that span columns and rows',
    '<table><tr><th>a</th><th>b</th></tr><tr><td rowspan="2">x</td><td>1</td></tr><tr><td>2</td></tr><tr><td colspan="2">y</td></tr></table>',
    '| a | b |\n| --- | --- |\n| x | 1 |\n| | 2 |\n| y | |',
  ],
  ['a layout table', '<table role="presentation"><tr><td><p>a</p></td><td><p>b</p></td></tr></table>', 'a\n\nb'],
  ['a callout', '<div class="admonition tip"><p class="admonition-title">Tip</p><p>x</p></div>', '> [!TIP]\n> x'],
  [
    'a callout with a title',
    '<div class="callout callout-warning"><div class="callout-title">Mind the gap</div><p>x</p></div>',
    '> [!WARNING]\n> **Mind the gap**\n> x',
  ],
  [
    'superscripts and subscripts',
    '<p>H<sub>2</sub>O, x<sup>2</sup>, x<sup>a+b</sup>, 1<sup>st</sup></p>',
    'H₂O, x², x^(a+b), 1st',
  ],
  [
    'a footnote',
    '<p>a<sup><a href="#n1">1</a></sup></p><ol><li id="n1">b <a href="#r1">↩</a></li></ol>',
    'a[^1]\n\n[^1]: b',
  ],
  ['a link around blocks', '<a href="/x"><h3>Title</h3><p>More</p></a>', '### [Title](https://docs.example/x)\n\nMore'],
  ['details', '<details><summary>More</summary><p>x</p></details>', '**More**\n\nx'],
  ['ruby', '<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>', '漢(kan)'],
])('%s', (_, input, expected) => {
  // Footnotes are searched below one root.
  expect(markdown(`<div>${input}</div>`)).toBe(expected)
})

test.each([
  ['a class', '<pre><code class="language-js">x</code></pre>', 'js'],
  ['a class of the box', '<div class="highlight-source-rust"><pre>x</pre></div>', 'rust'],
  ['an attribute', '<pre data-lang="toml"><code>x</code></pre>', 'toml'],
  ['Pandoc', '<pre class="sourceCode python"><code>x</code></pre>', 'python'],
  ['SyntaxHighlighter', '<pre class="brush: java; gutter: true">x</pre>', 'java'],
  ['Sphinx', '<div class="highlight-python3 notranslate"><div class="highlight"><pre>x</pre></div></div>', 'python'],
  ['no language', '<div class="highlight-default notranslate"><div class="highlight"><pre>x</pre></div></div>', ''],
])('language of code: %s', (_, input, language) => {
  expect(markdown(input)).toBe(`\`\`\`${language}\nx\n\`\`\``)
})

test.each([
  ['spans', '<pre><code><span class="line-number">1</span>a\n<span class="line-number">2</span>b</code></pre>'],
  [
    'a table',
    '<div class="highlight"><table class="rouge-table"><tr><td class="gutter gl"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table></div>',
  ],
  [
    'a column',
    '<pre class="line-numbers"><code>a\nb<span class="line-numbers-rows"><span></span><span></span></span></code></pre>',
  ],
  [
    'lines that only a style sheet breaks',
    '<pre><code><span class="line">a</span><span class="line">b</span></code></pre>',
  ],
  ['divs and a button', '<pre><button>Copy</button><div>a</div><div>b</div></pre>'],
  ['breaks', '<pre>a<br>b</pre>'],
])('code without line numbers and buttons: %s', (_, input) => {
  expect(markdown(input)).toBe('```\na\nb\n```')
})

test('removes prompts if every line has one', () => {
  expect(markdown('<pre>$ a\n$ b</pre>')).toBe('```\na\nb\n```')
  expect(markdown('<pre>$ a\nout</pre>')).toBe('```\n$ a\nout\n```')
})

test('HTML output has no scripts, styles or handlers', () => {
  const input =
    '<div onclick="x()"><script>y()</script><style>z</style><p style="display:none">no</p><a href="javascript:x()" onmouseover="y">a</a> <a href="/b?c&d">b</a><iframe src="/e"></iframe><custom-box><p class="k">f</p></custom-box></div>'
  expect(writePage(parseHtmlTree(input).children, BASE, 'html', '').content).toBe(
    '<div><a>a</a> <a href="https://docs.example/b?c&amp;d">b</a><p>f</p></div>',
  )
})

test('the title becomes the first heading if there is none', () => {
  const { content, outline } = writePage(
    parseHtmlTree('<h2 id="x">Part</h2><p>a</p>').children,
    BASE,
    'markdown',
    'Whole *page*',
  )
  expect(content).toBe('# Whole \\*page\\*\n\n## Part\n\na')
  expect(outline).toEqual([
    { level: 1, title: 'Whole *page*', id: 'whole-page', line: 0 },
    { level: 2, title: 'Part', id: 'x', line: 2 },
  ])
})
