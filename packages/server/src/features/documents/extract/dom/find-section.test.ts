import fc from 'fast-check'
import { expect, test } from 'vitest'

import { findSection } from './find-section.js'
import { parseHtmlTree, singleLineText } from './tree.js'

const sectionText = (html: string, fragment: string) =>
  findSection(parseHtmlTree(`<main>${html}</main>`), fragment)
    ?.map(singleLineText)
    .filter((text) => text !== '')
    .join(' ')

test.each([
  [
    'ends at the next heading of its level',
    '<h2 id="a">A</h2><p>1</p><h3>B</h3><p>2</p><h2>C</h2><p>3</p>',
    'a',
    'A 1 B 2',
  ],
  ['ends at a higher heading', '<h3 id="a">A</h3><p>1</p><h2>C</h2>', 'a', 'A 1'],
  ['ends with the page', '<h2>Z</h2><h2 id="a">A</h2><p>1</p>', 'a', 'A 1'],
  ['a section that has the id', '<section id="a"><h2>A</h2><p>1</p></section><section><h2>B</h2></section>', 'a', 'A1'],
  [
    'a heading in its own container',
    '<div class="mw-heading"><h2 id="a">A</h2><span>[edit]</span></div><p>1</p><div class="mw-heading"><h2>B</h2></div><p>2</p>',
    'a',
    'A[edit] 1',
  ],
  ['an id within the heading', '<h2><span id="a"></span>A</h2><p>1</p><h2>B</h2>', 'a', 'A 1'],
  ['an anchor before the heading', '<a name="a"></a><h2>A</h2><p>1</p><h2>B</h2>', 'a', 'A 1'],
  ['a heading by its text', '<h2>How to Turn: It!</h2><p>1</p><h2>B</h2>', 'how-to-turn-it', 'How to Turn: It! 1'],
  ['a percent-encoded id', '<h2 id="größe">A</h2><p>1</p>', 'gr%C3%B6%C3%9Fe', 'A 1'],
  ['a term with its definition', '<dl><dt id="a">a()</dt><dd>1</dd><dt>b()</dt><dd>2</dd></dl>', 'a', 'a() 1'],
  [
    'terms that share a definition',
    '<dl><dt id="a">a()</dt><dt>b()</dt><dd>1</dd><dt>c()</dt><dd>2</dd></dl>',
    'a',
    'a() b() 1',
  ],
  [
    'a signature in details',
    '<details open><summary><section id="a"><h4>fn a()</h4></section></summary><p>1</p></details><details><summary><h4>fn b()</h4></summary><p>2</p></details>',
    'a',
    'fn a()1',
  ],
  ['an item', '<ul><li id="a">1</li><li>2</li></ul>', 'a', '1'],
  ['an anchor within a paragraph', '<p><a id="a"></a>1</p><p>2</p>', 'a', '1'],
  ['headings in containers', '<h2 id="a">A</h2><div><p>1</p></div><div><h2>B</h2><p>2</p></div>', 'a', 'A 1'],
])('%s', (_, html, fragment, expected) => {
  expect(sectionText(html, fragment)).toBe(expected)
})

test('undefined for an unknown fragment', () => {
  expect(sectionText('<h2 id="a">A</h2>', 'b')).toBeUndefined()
  expect(sectionText('<h2 id="a">A</h2>', '%')).toBeUndefined()
})

test('a section starts with its heading and ends before the next heading of its level', () => {
  const levels = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(levels, fc.nat(), (headingLevels, pick) => {
      const at = pick % headingLevels.length
      const html = headingLevels
        .map((level, index) => `<h${level} id="h${index}">head${index}</h${level}><p>text${index}</p>`)
        .join('')
      const text = sectionText(html, `h${at}`) ?? ''
      const end = headingLevels.findIndex((level, index) => index > at && level <= (headingLevels[at] ?? 0))
      const expected = headingLevels
        .map((_, index) => `head${index} text${index}`)
        .slice(at, end === -1 ? undefined : end)
      expect(text).toBe(expected.join(' '))
    }),
  )
})
