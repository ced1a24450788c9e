// A text as it is compared when somebody searches: without case, accents and other differences of writing. Vowel signs
// of Indic scripts and the voicing marks of kana are letters there, not accents, and stay.

const ACCENTS = /(?![\u3099\u309a])\p{Script=Inherited}|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/gu

export function foldText(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(ACCENTS, '')
  // By way of upper case: only so do ß and ss, and the three sigmas, become one. The large ß has no larger one.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return folded.normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC')
}
