// The words of a text that say what it is about, folded so that two spellings and most forms of one word are one. Where
// words are not set apart, or have their particles at their ends, they are cut into pairs of characters.

/** Few, and of the languages queries are mostly in, without accents: what stays too much does little harm. */
const EMPTY = new Set(
  (
    'a an and are as at be best by can do does for from get has have how i if in into is it its list make me my of on or ' +
    'should than that the their them then there these this to top use used using vs was what when where which who why will ' +
    'with you your der die das und ist ein eine wie was im mit fur von zu le la les un une des et est de du en pour que el ' +
    'los las y es por con para un una'
  ).split(' '),
)
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const IN_PAIRS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Accents, and the vowels that Arabic and Hebrew mostly leave out. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F\u0670]/g
/** Letters that are no letter with an accent, and are written as if they were. */
const LIKE = new Map(
  ['ıi', 'ßs', 'øo', 'đd', 'łl', 'æa', 'œo', 'ىي', 'ةه'].map(([one = '', other = '']) => [one, other]),
)
const ARTICLE = /^[وفبك]?ال(?=...)|^لل(?=...)/
const ENDING = /(?<=...)(?:ies|ing|ers?|ed|(?<=ss|ch|sh|x)es|s|ات|ون|ين|يه|ه|ي)$/

export function informativeWords(text: string): ReadonlySet<string> {
  const words = spelledWords(text)
  const informative = words.filter((word) => !EMPTY.has(word))
  return new Set((informative.length > 0 ? informative : words).flatMap(inPairs).map(stem))
}

/** Of any form of a word the same. */
export function stems(text: string): readonly string[] {
  return foldedWords(text).map(stem)
}

export function foldedWords(text: string): readonly string[] {
  return spelledWords(text).flatMap(inPairs)
}

function spelledWords(text: string): readonly string[] {
  return folded(text).match(WORD) ?? []
}

export function folded(text: string): string {
  const plain = text.toLowerCase().normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFKC')
  return plain.replaceAll(/[ıßøđłæœىة]/g, (letter) => LIKE.get(letter) ?? letter)
}

function inPairs(word: string): readonly string[] {
  if (!IN_PAIRS.test(word)) return [word]
  const characters = Array.from(word)
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)
}

/** What most forms of a word have in common: "run" of "running", "كتب" of "الكتب". */
function stem(word: string): string {
  if (word.length < 4 || word.endsWith('ss')) return word
  const bare = word.replace(ARTICLE, '').replace(ENDING, '')
  return /([bdgmnprt])\1$/.test(bare) && bare !== word ? bare.slice(0, -1) : bare
}
