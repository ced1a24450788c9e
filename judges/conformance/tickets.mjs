// Tools whose calls outlive their answer: the client gets a ticket and comes back for the outcome. Those that can also
// wait do so for clients that take no tickets; those that cannot say `defers: 'always'`.
import { Failure } from '../../dist/library.mjs'
import { form, pause, strings, tool } from './pieces.mjs'

const ticket = { ttlMs: 5 * 60_000, pollMs: 200 }

const greet = tool('greet', 'Greets at once.', {
  input: strings('name'),
  run: ({ name }) => `Hello, ${name}!`,
})

const slow = tool('slow_compute', 'Takes as long as it is told to, and can be stopped.', {
  input: {
    type: 'object',
    properties: { seconds: { type: 'number', minimum: 0 }, label: { type: 'string' } },
    required: ['seconds'],
  },
  run: async ({ seconds, label = 'it' }, call) => {
    if (seconds > 0) {
      await call.defer({ ...ticket, message: `Computing ${label}` })
      await pause(seconds * 1000, call)
    }
    return `Computed ${label} in ${seconds} s.`
  },
})

const failing = tool('failing_job', 'Fails after a second, in a way the model should read.', {
  defers: 'always',
  run: async (_input, call) => {
    await call.defer(ticket)
    await pause(1000, call)
    throw new Failure('The job did what it could, and failed.')
  },
})

const broken = tool('protocol_error_job', 'Breaks, so that there is no outcome at all.', {
  run: async (_input, call) => {
    await call.defer(ticket)
    throw new Error('the job is broken on purpose')
  },
})

const deleting = tool('confirm_delete', 'Asks before it deletes (it does not really).', {
  input: strings('filename'),
  run: async ({ filename }, call) => {
    await call.defer(ticket)
    const { sure } = await call.ask({
      sure: form(`Delete ${filename}?`, { confirm: { type: 'boolean', description: 'Really delete it' } }),
    })
    return sure.action === 'accept' && sure.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`
  },
})

const pair = tool('multi_input', 'Asks two people at once, and waits for both.', {
  run: async (_input, call) => {
    await call.defer(ticket)
    const { first, second } = await call.ask({
      first: form('Who goes first?', { name: { type: 'string' } }),
      second: form('Who goes second?', { name: { type: 'string' } }),
    })
    return [first, second].map(nameOf).join(' before ')
  },
})

const asking = tool('test_tool_with_task', 'Asks for a name, and only then hands out a ticket.', {
  defers: 'always',
  run: async (_input, call) => {
    const { user_name: user } = await call.ask({ user_name: form('What is your name?', { name: { type: 'string' } }) })
    await call.defer(ticket)
    await pause(100, call)
    return `Hello, ${nameOf(user)}!`
  },
})

export const ticketTools = [greet, slow, failing, broken, deleting, pair, asking]

function nameOf({ action, content }) {
  return action === 'accept' ? content.name : 'nobody'
}
