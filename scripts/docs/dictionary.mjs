// The translations of one language, by English sentence. A changed English sentence is a new one without a translation.

export function openDictionary(file, text) {
  const known = text === undefined ? {} : JSON.parse(text)
  const asked = new Set()
  return {
    /** The translation, or the English sentence if there is none yet. */
    translate(sentence) {
      if (sentence.trim() === '') return sentence
      asked.add(sentence)
      return known[sentence] || sentence
    },
    problems() {
      const lacking = [...asked].filter((sentence) => !known[sentence])
      const idle = Object.keys(known).filter((sentence) => !asked.has(sentence))
      return [
        ...lacking.map((sentence) => `${file} lacks the translation of "${sentence}"`),
        ...idle.map((sentence) => `${file} translates "${sentence}", which is no longer part of the English text`),
      ]
    },
    /** The file with an entry for each sentence, in the order of use; unused ones come last. */
    text() {
      const used = [...asked].map((sentence) => [sentence, known[sentence] ?? ''])
      const idle = Object.entries(known).filter(([sentence]) => !asked.has(sentence))
      return `${JSON.stringify(Object.fromEntries([...used, ...idle]), null, 2)}\n`
    },
  }
}

export const ENGLISH = { translate: (sentence) => sentence }
