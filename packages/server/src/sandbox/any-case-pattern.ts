// A regular expression for a path in every spelling that a case-insensitive disk of macOS takes for the same: letter
// case, characters that fold to a letter or to several (the Kelvin sign to k, a ligature to its letters), and
// decomposed characters. Alternatives instead of character classes, because Seatbelt matches bytes. Used by
// seatbelt-profile.ts. Pure.

/** Characters that fold to the same as others although neither toLowerCase nor toUpperCase leads from those to them. */
const FOLDING: Readonly<Record<string, readonly string[]>> = {
  k: ['\u212A'],
  s: ['\u017F'],
  å: ['\u212B'],
  ω: ['\u2126'],
  μ: ['\u00B5'],
  σ: ['ς'],
  ß: ['ẞ', 'sS', 'Ss'],
}

/** Single characters that fold to several. */
const LIGATURES: Readonly<Record<string, readonly string[]>> = {
  ff: ['\uFB00'],
  fi: ['\uFB01'],
  fl: ['\uFB02'],
  ffi: ['\uFB03'],
  ffl: ['\uFB04'],
  st: ['\uFB05', '\uFB06'],
  ss: ['ß', 'ẞ'],
}
/** Runs of letters that may contain ligatures. Longer ones are split: their number of spellings grows exponentially. */
const LIGATURE_RUN = /[fils\u017Ft]{2,6}/i
const LONGEST_LIGATURE = 3

/** Without anchors. */
export function anyCasePattern(text: string): string {
  return text
    .normalize('NFC')
    .split(new RegExp(`(${LIGATURE_RUN.source})`, 'i'))
    .map((part, index) => (index % 2 === 1 ? matchRun(part) : Array.from(part, matchCharacter).join('')))
    .join('')
}

function matchRun(run: string): string {
  const spellings = listSpellings(run)
  return spellings.length === 1 ? spellings.join('') : `(${spellings.join('|')})`
}

/** For each way to read the run as letters and ligatures, a pattern. */
function listSpellings(run: string): readonly string[] {
  if (run === '') return ['']
  const first = matchCharacter(run.charAt(0))
  const spellings = listSpellings(run.slice(1)).map((rest) => first + rest)
  for (let length = 2; length <= LONGEST_LIGATURE; length++) {
    const ligatures = run.length < length ? [] : (LIGATURES[run.slice(0, length).toLowerCase()] ?? [])
    for (const rest of ligatures.length === 0 ? [] : listSpellings(run.slice(length)))
      spellings.push(...ligatures.map((ligature) => ligature + rest))
  }
  return spellings
}

function matchCharacter(character: string): string {
  const spellings = new Set([character])
  // Grows while it is read.
  for (const each of spellings)
    for (const other of [each.toLowerCase(), each.toUpperCase(), ...(FOLDING[each] ?? []), each.normalize('NFD')])
      spellings.add(other)
  const alternatives = Array.from(spellings, escapeRegex)
  return alternatives.length === 1 ? alternatives.join('') : `(${alternatives.join('|')})`
}

export function escapeRegex(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
