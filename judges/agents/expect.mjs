// Assertions on what arrived at the model. A failure shows what came instead.

export function expectEqual(actual, expected, what) {
  const [came, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (came !== wanted) throw new Error(`${what}: expected ${clip(wanted)}, came ${clip(came)}`)
}

/** @param {(string | RegExp)[]} parts each must occur in the text of the result */
export function expectText(result, parts) {
  const text = textOf(result)
  const missing = parts.filter((part) => (part instanceof RegExp ? !part.test(text) : !text.includes(part)))
  if (missing.length > 0)
    throw new Error(`missing ${missing.map(String).join(', ')}; came ${clip(JSON.stringify(result.blocks))}`)
}

export function textOf({ blocks }) {
  return blocks.map(({ text }) => text ?? '').join('')
}

/** The beginning and the end: what is wrong stands at one of them. */
function clip(text = 'nothing', limit = 480) {
  return text.length <= limit ? text : `${text.slice(0, limit / 2)} […] ${text.slice(-limit / 2)}`
}
