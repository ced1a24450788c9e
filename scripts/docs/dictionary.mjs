// The words of one language, by the English sentence. A sentence that was changed in English is a new one, and lacks its translation.

export function openDictionary(file, text) {
  const known = text === undefined ? {} : JSON.parse(text)
  const asked = new Set()
  return {
    /** The translation, or the English sentence where there is none yet. */
    say(sentence) {
      if (sentence.trim() === '') return sentence
      asked.add(sentence)
      return known[sentence] || sentence
    },
    problems() {
      const lacking = [...asked].filter((sentence) => !known[sentence])
      const idle = Object.keys(known).filter((sentence) => !asked.has(sentence))
      return [
        ...lacking.map((sentence) => `${file} lacks the translation of "${sentence}"`),
        ...idle.map((sentence) => `${file} translates "${sentence}", which English does not say any more`),
      ]
    },
    /** The file with a place for each sentence that lacks one, in the order they are said; what is not said any more comes last. */
    text() {
      const said = [...asked].map((sentence) => [sentence, known[sentence] ?? ''])
      const idle = Object.entries(known).filter(([sentence]) => !asked.has(sentence))
      return `${JSON.stringify(Object.fromEntries([...said, ...idle]), null, 2)}\n`
    },
  }
}

export const ENGLISH = { say: (sentence) => sentence }
