// A tool that uses the client's model (sampling).
import { defineTool, Failure } from '@scorpiox/mcp'
import { conjugate, formOf } from './conjugate.mjs'

export const sentence = defineTool({
  name: 'example_sentence',
  description: 'Writes an example sentence with one form of a verb.',
  input: conjugate.input,
  async run(input, { ask, clientAbilities }) {
    const form = formOf(input)
    if (!clientAbilities.sample)
      throw new Failure(`This client does not support sampling. Write a sentence with "${form}" yourself.`)
    const content = `Write one short English sentence with "${form}". Answer with the sentence only.`
    const { written } = await ask({
      written: { kind: 'sample', messages: [{ role: 'user', content }], maxTokens: 100 },
    })
    return written.text
  },
})
