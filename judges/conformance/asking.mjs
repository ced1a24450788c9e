// Tools that ask the client. They are the same in both protocol eras: in the legacy era a question is a request; in the modern
// era the call ends with the question, and the client repeats it with the answer.
import { form, sample, strings, tool, textOf } from './pieces.mjs'

const name = { type: 'string', description: 'Your name' }
const ok = { type: 'boolean', description: 'Whether to go on' }

const sampling = tool('test_sampling', "Puts the prompt to the client's model.", {
  input: strings('prompt'),
  run: async ({ prompt }, call) => {
    const { answer } = await call.ask({ answer: sample(prompt, 100) })
    return `LLM response: ${textOf(answer)}`
  },
})

const eliciting = tool('test_elicitation', 'Asks for a user name and an e-mail address.', {
  input: strings('message'),
  run: async ({ message }, call) => {
    const { user } = await call.ask({
      user: form(message, {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      }),
    })
    return `User response: ${outcome(user)}`
  },
})

const defaults = tool('test_elicitation_sep1034_defaults', 'Asks with a default for every kind of field.', {
  run: async (_input, call) => {
    const { profile } = await call.ask({
      profile: {
        kind: 'form',
        message: 'Please check your profile',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
        },
      },
    })
    return `Elicitation completed: ${outcome(profile)}`
  },
})

const enums = tool('test_elicitation_sep1330_enums', 'Asks for one or several of a list, in every way to write that.', {
  run: async (_input, call) => {
    const { choices } = await call.ask({
      choices: form('Please choose', {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: titled('Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
      }),
    })
    return `Elicitation completed: ${outcome(choices)}`
  },
})

const greeting = tool('test_input_required_result_elicitation', 'Asks for a name and greets.', {
  run: async (_input, call) => {
    const { user_name: user } = await call.ask({ user_name: form('What is your name?', { name }) })
    return user.action === 'accept' ? `Hello, ${user.content.name}!` : 'Hello!'
  },
})

const capital = tool('test_input_required_result_sampling', "Asks the client's model for a capital.", {
  run: async (_input, call) => {
    const { capital_question: answer } = await call.ask({
      capital_question: sample('What is the capital of France?', 100),
    })
    return textOf(answer)
  },
})

const folders = tool('test_input_required_result_list_roots', 'Names the folders the client works in.', {
  run: async (_input, call) => {
    const { client_roots: answer } = await call.ask({ client_roots: { kind: 'roots' } })
    return listed(answer)
  },
})

const confirming = tool('test_input_required_result_request_state', 'Continues only after confirmation.', {
  run: async (_input, call) => {
    const { confirm } = await call.ask({ confirm: form('Please confirm', { ok }) })
    return `state-ok: ${outcome(confirm)}`
  },
})

// The same question; the suite answers it with a modified state.
const sealed = tool(
  'test_input_required_result_tampered_state',
  'Continues only after confirmation, and with its own state.',
  {
    run: async (_input, call) => {
      const { confirm } = await call.ask({ confirm: form('Please confirm', { ok }) })
      return `Confirmed: ${outcome(confirm)}`
    },
  },
)

const several = tool('test_input_required_result_multiple_inputs', 'Asks for three different things at once.', {
  run: async (_input, call) => {
    const answers = await call.ask({
      user_name: form('What is your name?', { name }),
      greeting: sample('Generate a greeting', 50),
      client_roots: { kind: 'roots' },
    })
    return `${textOf(answers.greeting)} (${outcome(answers.user_name)}, ${listed(answers.client_roots)})`
  },
})

const rounds = tool('test_input_required_result_multi_round', 'Asks a second question once the first is answered.', {
  run: async (_input, call) => {
    const { step1 } = await call.ask({ step1: form('Step 1: What is your name?', { name }) })
    const { step2 } = await call.ask({
      step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }),
    })
    return `${outcome(step1)}, then ${outcome(step2)}`
  },
})

const capable = tool('test_input_required_result_capabilities', 'Asks only what this client can answer.', {
  run: async (_input, call) => {
    const { clientAbilities } = call
    const answers = await call.ask({
      ...(clientAbilities.form && { user_name: form('What is your name?', { name }) }),
      ...(clientAbilities.sample && { greeting: sample('Generate a greeting', 50) }),
      ...(clientAbilities.roots && { client_roots: { kind: 'roots' } }),
    })
    return `Answered: ${Object.keys(answers).join(', ')}`
  },
})

const streaming = tool('test_streaming_elicitation', 'Reports progress, then asks.', {
  run: async (_input, call) => {
    call.progress(1, { total: 2, message: 'About to ask' })
    const { confirm } = await call.ask({ confirm: form('Please confirm', { ok }) })
    return outcome(confirm)
  },
})

export const askingTools = [
  sampling,
  eliciting,
  defaults,
  enums,
  greeting,
  capital,
  folders,
  confirming,
  sealed,
  several,
  rounds,
  capable,
  streaming,
]

function titled(word) {
  return ['First', 'Second', 'Third'].map((nth, index) => ({ const: `value${index + 1}`, title: `${nth} ${word}` }))
}

function outcome({ action, content = {} }) {
  return `action=${action}, content=${JSON.stringify(content)}`
}

function listed({ roots }) {
  return `${roots.length} roots: ${roots.map(({ uri }) => uri).join(', ')}`
}
