import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sectionOf } from './section.js'
import { parseTree, plainText } from './tree.js'

const words = (html: string, fragment: string) =>
  sectionOf(parseTree(`<main>${html}</main>`), fragment)
    ?.map(plainText)
    .filter((text) => text !== '')
    .join(' ')

test.each([
  [
    'up to the next heading of its rank',
    '<h2 id="a">A</h2><p>1</p><h3>B</h3><p>2</p><h2>C</h2><p>3</p>',
    'a',
    'A 1 B 2',
  ],
  ['up to a higher heading', '<h3 id="a">A</h3><p>1</p><h2>C</h2>', 'a', 'A 1'],
  ['to the end', '<h2>Z</h2><h2 id="a">A</h2><p>1</p>', 'a', 'A 1'],
  ['a section that has the id', '<section id="a"><h2>A</h2><p>1</p></section><section><h2>B</h2></section>', 'a', 'A1'],
  [
    'a heading in a box of its own',
    '<div class="mw-heading"><h2 id="a">A</h2><span>[edit]</span></div><p>1</p><div class="mw-heading"><h2>B</h2></div><p>2</p>',
    'a',
    'A[edit] 1',
  ],
  ['an id within the heading', '<h2><span id="a"></span>A</h2><p>1</p><h2>B</h2>', 'a', 'A 1'],
  ['an anchor before the heading', '<a name="a"></a><h2>A</h2><p>1</p><h2>B</h2>', 'a', 'A 1'],
  ['a heading by its words', '<h2>How to Turn: It!</h2><p>1</p><h2>B</h2>', 'how-to-turn-it', 'How to Turn: It! 1'],
  ['an id that is escaped', '<h2 id="größe">A</h2><p>1</p>', 'gr%C3%B6%C3%9Fe', 'A 1'],
  ['a term, with what is said of it', '<dl><dt id="a">a()</dt><dd>1</dd><dt>b()</dt><dd>2</dd></dl>', 'a', 'a() 1'],
  ['terms that share it', '<dl><dt id="a">a()</dt><dt>b()</dt><dd>1</dd><dt>c()</dt><dd>2</dd></dl>', 'a', 'a() b() 1'],
  [
    'a signature that its text folds under',
    '<details open><summary><section id="a"><h4>fn a()</h4></section></summary><p>1</p></details><details><summary><h4>fn b()</h4></summary><p>2</p></details>',
    'a',
    'fn a()1',
  ],
  ['an item', '<ul><li id="a">1</li><li>2</li></ul>', 'a', '1'],
  ['a mark within a paragraph', '<p><a id="a"></a>1</p><p>2</p>', 'a', '1'],
  ['headings that stand in boxes', '<h2 id="a">A</h2><div><p>1</p></div><div><h2>B</h2><p>2</p></div>', 'a', 'A 1'],
])('%s', (_, html, fragment, expected) => {
  expect(words(html, fragment)).toBe(expected)
})

test('nothing, where there is no such part', () => {
  expect(words('<h2 id="a">A</h2>', 'b')).toBeUndefined()
  expect(words('<h2 id="a">A</h2>', '%')).toBeUndefined()
})

test('whatever is asked for, it begins with its heading and no heading of its rank follows', () => {
  const levels = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(levels, fc.nat(), (ranks, pick) => {
      const at = pick % ranks.length
      const html = ranks
        .map((rank, index) => `<h${rank} id="h${index}">head${index}</h${rank}><p>text${index}</p>`)
        .join('')
      const text = words(html, `h${at}`) ?? ''
      const end = ranks.findIndex((rank, index) => index > at && rank <= (ranks[at] ?? 0))
      const expected = ranks.map((_, index) => `head${index} text${index}`).slice(at, end === -1 ? undefined : end)
      expect(text).toBe(expected.join(' '))
    }),
  )
})
