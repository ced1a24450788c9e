import { expect, test } from 'vitest'

import { parseHtmlTree } from '../dom/tree.js'
import { splitIntoBlocks } from './blocks.js'
import { computeStructureFeatures } from './structure-features.js'

const featuresOf = (html: string, url = 'https://example.com/') =>
  computeStructureFeatures(splitIntoBlocks(parseHtmlTree(html)), url).map((row) => [...row])

test('blocks with equal tags and classes form a group', () => {
  const rows = featuresOf('<ul><li class="a">one</li><li class="a b">two three</li><li class="c">four</li></ul>')
  const [first, second, third] = rows
  expect(first?.slice(0, 6)).toEqual([Math.log1p(2), 3 / 4, 0, Math.log1p(1.5), 1 / 3, 0])
  expect(second?.slice(0, 6)).toEqual([Math.log1p(2), 3 / 4, 0, Math.log1p(1.5), 1 / 3, 1])
  expect(third?.slice(0, 6)).toEqual([Math.log1p(1), 1 / 4, 0, Math.log1p(1), 0, 0])
})

test('the page features depend on the path of the URL, not on its host', () => {
  const html = '<p>one</p>'
  expect(featuresOf(html, 'https://docs.example.com/products/one')[0]?.slice(6, 11)).toEqual([1, 0, 0, 0, 0])
  expect(featuresOf(html, 'https://example.com/forum/reference/2024/05/x')[0]?.slice(6, 11)).toEqual([0, 0, 1, 1, 1])
})

test('the page features count prices, dates and replies of visible blocks', () => {
  const html = '<p>$12</p><p>3 days ago</p><p>Add to cart</p><p>Reply</p><p hidden>$99</p><h2>Heading</h2>'
  const counts = featuresOf(html)[0]?.slice(11)
  expect(counts).toEqual([1, 1, 1, 1, 0, 5, 1].map(Math.log1p))
})
