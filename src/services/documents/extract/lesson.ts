// Exports the training rows of one page: its blocks, with their features without and with the baselines. Used only by
// bench/extract.

import { mark, unmark } from './blocks.js'
import { featuresOf, NO_VOTES } from './features.js'
import { lookAt } from './look-at.js'
import { toHtml } from './tree.js'
import { votesOn } from './voters.js'

export function lessonOf(html: string, url: string) {
  const { tree, facts, blocks } = lookAt(html, url)
  mark(blocks)
  const baselines = votesOn(toHtml(tree), facts.base)
  unmark(blocks)
  return {
    blocks: blocks.map(({ text, words, isHidden }, at) => ({
      text,
      words,
      isHidden,
      votes: Number(baselines.readability.has(at)) + Number(baselines.defuddle.has(at)),
    })),
    alone: featuresOf(blocks, NO_VOTES, facts),
    heard: featuresOf(blocks, baselines, facts),
  }
}
