// Builds the lexicon of the extractor: for tags, class names and words, the log odds that a block with them is main content.
// Each page counts once for a term.

/** On how many sites a term must occur, for each kind: names of the element, of near and of far ancestors, words. */
const MIN_SITES = [20, 20, 20, 40]
/** Of words, only those whose log odds differ this much from the prior are kept. */
const MIN_WORD_EFFECT = 0.5
const WORDS = 3
/** Counted before any page: so many pages with this share of main content. */
const PRIOR = { pages: 3, share: 0.4 }
const PRIOR_LOG_ODDS = Math.log(PRIOR.share / (1 - PRIOR.share))

/** One Map per kind of terms; see lexicon-features.ts. */
export function buildLexicon(pages) {
  return MIN_SITES.map((minSites, kind) => {
    const counts = countTerms(pages, kind)
    const frequent = [...counts].filter(([, { sites }]) => sites.size >= minSites)
    const odds = frequent.map(([term, count]) => [term, logOdds(count)])
    const hasEffect = ([, value]) => kind !== WORDS || Math.abs(value - PRIOR_LOG_ODDS) >= MIN_WORD_EFFECT
    return new Map(odds.filter(hasEffect))
  })
}

function countTerms(pages, kind) {
  const counts = new Map()
  for (const page of pages) {
    for (const [term, { kept, all }] of countInPage(page, kind)) {
      const count = counts.get(term) ?? { kept: 0, dropped: 0, sites: new Set() }
      const weight = Math.min(1, all / 20)
      count.kept += (weight * kept) / all
      count.dropped += weight * (1 - kept / all)
      count.sites.add(page.site)
      counts.set(term, count)
    }
  }
  return counts
}

function countInPage({ terms, wordCounts, isHidden, labels }, kind) {
  const counts = new Map()
  for (const [at, kinds] of terms.entries()) {
    if (isHidden[at]) continue
    const weight = Math.min(wordCounts[at], 30) + 1
    for (const term of kinds[kind]) {
      const count = counts.get(term) ?? { kept: 0, all: 0 }
      count.kept += weight * labels[at]
      count.all += weight
      counts.set(term, count)
    }
  }
  return counts
}

function logOdds({ kept, dropped }) {
  const odds = (kept + PRIOR.share * PRIOR.pages) / (dropped + (1 - PRIOR.share) * PRIOR.pages)
  return Math.round(Math.log(odds) * 10) / 10
}

/** One line per kind: log odds in tenths, each followed by its terms. */
export function lexiconText(lexicon) {
  return lexicon
    .map((odds) => {
      const byValue = new Map()
      for (const [term, value] of odds) {
        const tenths = Math.round(value * 10)
        byValue.set(tenths, [...(byValue.get(tenths) ?? []), term])
      }
      const groups = [...byValue].sort(([a], [b]) => a - b)
      return groups.map(([tenths, terms]) => `${tenths} ${terms.sort().join(' ')}`).join(' ')
    })
    .join('\n')
}
