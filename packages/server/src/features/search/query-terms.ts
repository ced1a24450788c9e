// Significant terms of a text: without stop words, and with spelling variants and most inflections folded together.
// Scripts without word separators are split into bigrams. Used by query, merge-hits, rank-hits and relevance. Pure.

/** Stop words of the most frequent query languages, without accents. A missing one does little harm. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be best by can do does for from get has have how i if in into is it its list make me my of on or ' +
    'should than that the their them then there these this to top use used using vs was what when where which who why will ' +
    'with you your der die das und ist ein eine wie was im mit fur von zu le la les un une des et est de du en pour que el ' +
    'los las y es por con para un una'
  ).split(' '),
)
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const UNSEGMENTED_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Accents, and vowel marks that Arabic and Hebrew mostly omit. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F\u0670]/g
/** Letters that Unicode does not decompose, but that are often written without their mark. */
const LETTER_EQUIVALENTS = new Map(
  ['ıi', 'ßs', 'øo', 'đd', 'łl', 'æa', 'œo', 'ىي', 'ةه'].map(([one = '', other = '']) => [one, other]),
)
const ARTICLE = /^[وفبك]?ال(?=...)|^لل(?=...)/
const ENDING = /(?<=...)(?:ies|ing|ers?|ed|(?<=ss|ch|sh|x)es|s|ات|ون|ين|يه|ه|ي)$/

export function significantTerms(text: string): ReadonlySet<string> {
  const words = splitWords(text)
  const significant = words.filter((word) => !STOP_WORDS.has(word))
  return new Set((significant.length > 0 ? significant : words).flatMap(toBigrams).map(stem))
}

/** Stems of all words, including stop words. */
export function stemmedWords(text: string): readonly string[] {
  return normalizedWords(text).map(stem)
}

export function normalizedWords(text: string): readonly string[] {
  return splitWords(text).flatMap(toBigrams)
}

function splitWords(text: string): readonly string[] {
  return foldText(text).match(WORD) ?? []
}

export function foldText(text: string): string {
  const plain = text.toLowerCase().normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFKC')
  return plain.replaceAll(/[ıßøđłæœىة]/g, (letter) => LETTER_EQUIVALENTS.get(letter) ?? letter)
}

function toBigrams(word: string): readonly string[] {
  if (!UNSEGMENTED_SCRIPTS.test(word)) return [word]
  const characters = Array.from(word)
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)
}

/** For example "run" for "running", "كتب" for "الكتب". */
function stem(word: string): string {
  if (word.length < 4 || word.endsWith('ss')) return word
  const stripped = word.replace(ARTICLE, '').replace(ENDING, '')
  return /([bdgmnprt])\1$/.test(stripped) && stripped !== word ? stripped.slice(0, -1) : stripped
}
