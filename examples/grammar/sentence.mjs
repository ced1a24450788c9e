// A tool that uses the client's model.
import { defineTool, Failure } from 'scorpiox-code'
import { conjugate, formOf } from './conjugate.mjs'

export const sentence = defineTool({
  ...conjugate,
  name: 'example_sentence',
  description: 'Has the model of this conversation write a sentence with one form of a verb.',
  async run(input, call) {
    const form = formOf(input)
    if (!call.clientAbilities.sample)
      throw new Failure(`This client does not support sampling. Write a sentence with "${form}" yourself.`)
    const content = `Write one short English sentence with "${form}". Answer with the sentence only.`
    const { written } = await call.ask({
      written: { kind: 'sample', messages: [{ role: 'user', content }], maxTokens: 100 },
    })
    return written.text
  },
})
