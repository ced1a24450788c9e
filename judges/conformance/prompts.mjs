// The fixture's prompts: plain, with arguments, with content that is not text, and one that asks first.
import { definePrompt } from '../../dist/library.mjs'
import { form, pixel } from './pieces.mjs'

const simple = definePrompt({
  name: 'test_simple_prompt',
  description: 'A sentence.',
  get: () => [{ role: 'user', content: 'This is a simple prompt for testing.' }],
})

const filled = definePrompt({
  name: 'test_prompt_with_arguments',
  description: 'A sentence with two arguments in it.',
  arguments: [
    { name: 'arg1', description: 'First test argument', required: true, complete: (typed) => suggest(typed) },
    { name: 'arg2', description: 'Second test argument', required: true },
  ],
  get: ({ arg1, arg2 }) => [{ role: 'user', content: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }],
})

const embedding = definePrompt({
  name: 'test_prompt_with_embedded_resource',
  description: 'A resource, and what to do with it.',
  arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
  get: ({ resourceUri: uri }) => [
    {
      role: 'user',
      content: {
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      },
    },
    { role: 'user', content: 'Please process the embedded resource above.' },
  ],
})

const illustrated = definePrompt({
  name: 'test_prompt_with_image',
  description: 'An image, and what to do with it.',
  get: () => [
    { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
    { role: 'user', content: 'Please analyze the image above.' },
  ],
})

const asking = definePrompt({
  name: 'test_input_required_result_prompt',
  description: 'Asks for its context before it is a prompt.',
  get: async (_args, call) => {
    const { user_context: answer } = await call.ask({
      user_context: form('What context should the prompt use?', { context: { type: 'string' } }),
    })
    const context = answer.action === 'accept' ? answer.content.context : 'none'
    return [{ role: 'user', content: `Use this context: ${context}` }]
  },
})

export const prompts = [simple, filled, embedding, illustrated, asking]

function suggest(typed) {
  return ['paris', 'park', 'party', 'test', 'testament'].filter((word) => word.startsWith(typed))
}
