// Tools whose calls continue as protocol tasks: the client gets a task handle and polls for the outcome. For clients without
// task support they answer when they are done, or are rejected (`taskSupport: 'always'`).
import { Failure } from '../../dist/library.mjs'
import { form, pause, strings, tool } from './pieces.mjs'

const handle = { ttlMs: 5 * 60_000, pollMs: 200 }

const greet = tool('greet', 'Greets at once.', {
  input: strings('name'),
  run: ({ name }) => `Hello, ${name}!`,
})

const slow = tool('slow_compute', 'Takes the given time, and can be cancelled.', {
  input: {
    type: 'object',
    properties: { seconds: { type: 'number', minimum: 0 }, label: { type: 'string' } },
    required: ['seconds'],
  },
  run: async ({ seconds, label = 'it' }, call) => {
    if (seconds > 0) {
      await call.continueAsTask({ ...handle, message: `Computing ${label}` })
      await pause(seconds * 1000, call)
    }
    return `Computed ${label} in ${seconds} s.`
  },
})

const failing = tool('failing_job', 'Fails after a second, in a way the model should read.', {
  taskSupport: 'always',
  run: async (_input, call) => {
    await call.continueAsTask(handle)
    await pause(1000, call)
    throw new Failure('The job failed.')
  },
})

const broken = tool('protocol_error_job', 'Ends with an internal error, so that there is no outcome.', {
  run: async (_input, call) => {
    await call.continueAsTask(handle)
    throw new Error('the job is broken on purpose')
  },
})

const deleting = tool('confirm_delete', 'Asks before it deletes (it does not really).', {
  input: strings('filename'),
  run: async ({ filename }, call) => {
    await call.continueAsTask(handle)
    const { sure } = await call.ask({
      sure: form(`Delete ${filename}?`, { confirm: { type: 'boolean', description: 'Really delete it' } }),
    })
    return sure.action === 'accept' && sure.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`
  },
})

const pair = tool('multi_input', 'Asks two questions at once, and waits for both answers.', {
  run: async (_input, call) => {
    await call.continueAsTask(handle)
    const { first, second } = await call.ask({
      first: form('Who goes first?', { name: { type: 'string' } }),
      second: form('Who goes second?', { name: { type: 'string' } }),
    })
    return [first, second].map(nameOf).join(' before ')
  },
})

const asking = tool('test_tool_with_task', 'Asks for a name, and then continues as a task.', {
  taskSupport: 'always',
  run: async (_input, call) => {
    const { user_name: user } = await call.ask({ user_name: form('What is your name?', { name: { type: 'string' } }) })
    await call.continueAsTask(handle)
    await pause(100, call)
    return `Hello, ${nameOf(user)}!`
  },
})

export const taskTools = [greet, slow, failing, broken, deleting, pair, asking]

function nameOf({ action, content }) {
  return action === 'accept' ? content.name : 'unknown'
}
