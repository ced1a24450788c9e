// Exports the training rows of one page: its blocks, with their features without and with the baselines. Used only by
// bench/extract.

import { runBaselines } from '../classify/baselines.js'
import { tagBlocks, untagBlocks } from '../classify/blocks.js'
import { computeFeatures, NO_BASELINES } from '../classify/features.js'
import { serializeHtml } from '../dom/tree.js'
import { parsePage } from './read-html.js'

export function exportTrainingRows(html: string, url: string) {
  const { tree, metadata, blocks } = parsePage(html, url)
  tagBlocks(blocks)
  const baselines = runBaselines(serializeHtml(tree), metadata.base)
  untagBlocks(blocks)
  return {
    blocks: blocks.map(({ text, wordCount, isHidden }, at) => ({
      text,
      wordCount,
      isHidden,
      baselinesKeeping: Number(baselines.readability.has(at)) + Number(baselines.defuddle.has(at)),
    })),
    withoutBaselines: computeFeatures(blocks, NO_BASELINES, metadata),
    withBaselines: computeFeatures(blocks, baselines, metadata),
  }
}
