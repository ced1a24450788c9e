// Exports the training rows of one page: its blocks with their terms, and their features without and with the baselines.
// Used only by bench/extract. No I/O.

import { computeBaselines } from '../classify/baselines.js'
import { joinRows } from '../classify/decision-trees.js'
import { computeFeatures, NO_BASELINES } from '../classify/features.js'
import { type BlockTerms, computeLexiconFeatures, type Lexicon, listTerms } from '../classify/lexicon-features.js'
import { computeStructureFeatures } from '../classify/structure-features.js'
import { parsePage } from './read-html.js'

export function exportTrainingRows(html: string, url: string) {
  const { tree, metadata, blocks } = parsePage(html, url)
  const structure = computeStructureFeatures(blocks, url)
  const terms = listTerms(blocks)
  const withoutBaselines = joinRows(computeFeatures(blocks, NO_BASELINES, metadata), structure)
  const baselines = computeBaselines(tree, blocks, metadata.base)
  return {
    blocks: blocks.map(({ text, wordCount, isHidden }, at) => ({
      text,
      wordCount,
      isHidden,
      baselinesKeeping: Number(baselines?.readability.has(at) === true) + Number(baselines?.defuddle.has(at) === true),
    })),
    terms,
    withoutBaselines,
    /** The same rows if the page is too large or too small for the baselines. */
    withBaselines:
      baselines === undefined ? withoutBaselines : joinRows(computeFeatures(blocks, baselines, metadata), structure),
  }
}

/** The rows of stage 1: without baselines, with the features of a lexicon. */
export function appendLexiconFeatures(
  rows: readonly Float64Array[],
  terms: readonly BlockTerms[],
  lexicon: Lexicon,
): Float64Array[] {
  return joinRows(rows, computeLexiconFeatures(terms, lexicon))
}
