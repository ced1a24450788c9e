import { expect, test } from 'vitest'

import { parseHtmlTree } from '../dom/tree.js'
import { splitIntoBlocks } from './blocks.js'
import { computeLexiconFeatures, listTerms, parseLexicon } from './lexicon-features.js'

const termsOf = (html: string) => listTerms(splitIntoBlocks(parseHtmlTree(html)))

test('terms are tags, parts of names, and words, by distance', () => {
  const [terms] = termsOf(
    '<main class="page"><div id="a1"><section role="region"><div class="postBody x"><p class="lead-text">One two, one.</p></div></section></div></main>',
  )
  expect(terms).toEqual([
    ['<p>', 'lead', 'text'],
    ['<div>', 'post', 'body', '<section>', 'region'],
    ['<div>', '<main>', 'page'],
    ['one', 'two'],
  ])
})

test('only the first words of a long text are terms', () => {
  const [terms] = termsOf('<p>a b c d e f g h i j k l m n o p q</p>')
  expect(terms?.[3]).toHaveLength(14)
})

test('features are mean, lowest and highest log odds of the known terms of each kind', () => {
  const lexicon = parseLexicon('-20 menu nav 10 <p>\n5 body\n-3 page\n7 one')
  const [row] = computeLexiconFeatures([[['<p>', 'menu', 'unknown'], ['body'], [], ['two']]], lexicon)
  expect([...(row ?? [])]).toEqual([-0.5, -2, 1, 0.5, 0, 0.5, 0, 0, 0, 0, 0, 0])
})
