// A tool that shows a form to the user and continues with the answer.
import { defineTool } from '@scorpiox/mcp'
import { conjugate, formOf } from './conjugate.mjs'

export const quiz = defineTool({
  name: 'quiz',
  description: 'Asks the user for one form of a verb and checks the answer.',
  input: conjugate.input,
  async run(input, { ask }) {
    const { verb, tense, person } = input
    const { reply } = await ask({
      reply: {
        kind: 'form',
        message: `What is the form of "${verb}"? Tense: ${tense}. Person: ${person}.`,
        schema: { type: 'object', properties: { form: { type: 'string', title: 'Form' } }, required: ['form'] },
      },
    })
    if (reply.action !== 'accept') return 'The user did not answer.'
    const right = formOf(input)
    return reply.content.form === right ? 'Correct.' : `Wrong: the form is "${right}", not "${reply.content.form}".`
  },
})
