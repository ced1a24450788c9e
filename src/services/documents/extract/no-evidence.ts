// The signals of content that is not HTML.

import type { Evidence } from './extractor.js'

export function noEvidence(contentChars: number): Evidence {
  return {
    htmlChars: 0,
    textChars: 0,
    contentChars,
    scripts: 0,
    hasEmptyRoot: false,
    asksForScripts: false,
    isFromState: false,
    challenge: '',
    hasLoginForm: false,
    hasPaywall: false,
    saysNotFound: false,
    alternates: [],
    refreshTo: '',
  }
}
