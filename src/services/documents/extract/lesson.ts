// What a judge is taught with, for one page: its blocks, and what is known of each without and with the voters. Only
// bench/extract/teach.mjs uses it.

import { mark, unmark } from './blocks.js'
import { featuresOf, NO_VOTES } from './features.js'
import { lookAt } from './look-at.js'
import { toHtml } from './tree.js'
import { votesOn } from './voters.js'

export function lessonOf(html: string, url: string) {
  const { tree, facts, blocks } = lookAt(html, url)
  mark(blocks)
  const votes = votesOn(toHtml(tree), facts.base)
  unmark(blocks)
  return {
    blocks: blocks.map(({ text, words, isHidden }, at) => ({
      text,
      words,
      isHidden,
      votes: Number(votes.readability.has(at)) + Number(votes.defuddle.has(at)),
    })),
    alone: featuresOf(blocks, NO_VOTES, facts),
    heard: featuresOf(blocks, votes, facts),
  }
}
