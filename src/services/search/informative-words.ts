// The words of a text that say what it is about, folded so that two spellings of one word are one. Scripts that put no
// spaces between words are cut into pairs of characters.

/** Few, and of the languages queries are mostly in: what stays too much does little harm. */
const EMPTY = new Set(
  (
    'a an and are as at be best by can do does for from get has have how i if in into is it its list make me my of on or ' +
    'should than that the their them then there these this to top use used using vs was what when where which who why will ' +
    'with you your der die das und ist ein eine wie was im mit für von zu le la les un une des et est de du en pour que el ' +
    'los las y es por con para un una'
  ).split(' '),
)
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

export function informativeWords(text: string): ReadonlySet<string> {
  const all = foldedWords(text)
  const informative = all.filter((word) => !EMPTY.has(word))
  return new Set(informative.length > 0 ? informative : all)
}

export function foldedWords(text: string): readonly string[] {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? []
  return words.flatMap((word) => (UNSPACED.test(word) ? pairs(word) : [singular(word)]))
}

function pairs(word: string): readonly string[] {
  const characters = Array.from(word)
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
