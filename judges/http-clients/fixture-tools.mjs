// The tools of the HTTP fixture: those the shared checks know from the stdio fixture, and those that use the ways up
// that a client has only over a connection: questions, log, changes, a connection that ends before the answer.
import { defineTool } from '../../dist/library.mjs'
import { pixel, shapesInput, silence } from '../../test/fixture/samples.mjs'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const empty = { type: 'object' }
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const aborted = []

/** A tool named after what it does, answering with text: its value when that is text already, else as JSON. */
function tool(name, description, { input = empty, ...rest }) {
  return defineTool({ name, title: name, description, hints, input, ...rest })
}

const strings = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
})

const everyBlock = [
  { type: 'text', text: 'plain words' },
  { type: 'image', data: pixel, mimeType: 'image/png' },
  { type: 'audio', data: silence, mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///fixture/linked.txt', name: 'linked.txt' },
  { type: 'resource', resource: { uri: 'file:///fixture/embedded.txt', text: 'embedded words' } },
]

const nameForm = {
  kind: 'form',
  message: 'What is your name?',
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}
const capitalQuestion = {
  kind: 'sample',
  messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
  maxTokens: 10,
}

const shared = [
  tool('structured', 'Adds one.', {
    input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    run: ({ a }) => ({ sum: a + 1 }),
  }),
  tool('blocks', 'Answers with one content block of the named kind, or with all of them.', {
    input: {
      type: 'object',
      properties: { kind: { enum: ['text', 'image', 'audio', 'resource_link', 'resource', 'all'] } },
      required: ['kind'],
    },
    run: ({ kind }) => kind,
    format: (kind) => everyBlock.filter(({ type }) => kind === 'all' || type === kind),
  }),
  tool('steps', 'Reports five steps of progress.', {
    run: (_input, call) => pace(call, 20),
  }),
  tool('wait', 'Waits until the call is aborted, and remembers the label of every call that was.', {
    input: strings('label'),
    run: ({ label }, { signal }) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, 60_000, `${label} was not aborted`)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          aborted.push(label)
          resolve(label)
        })
      }),
  }),
  tool('recall', 'Lists the calls of wait that were aborted.', { run: () => aborted }),
  tool('bug', 'Throws.', {
    run: () => {
      throw new Error('the fixture is broken on purpose')
    },
  }),
  tool('refuse', 'Fails in a way the model should read.', {
    run: () => 'the answer is no',
    format: (text) => ({ content: [{ type: 'text', text }], isError: true }),
  }),
  tool('shapes', 'Names the shapes it was given.', {
    input: shapesInput,
    run: ({ shapes }) => shapes.map((shape) => ('radius' in shape ? 'circle' : 'box')).join(', '),
  }),
  tool('echo', 'Repeats the text.', {
    input: {
      type: 'object',
      properties: { text: { type: 'string' }, times: { type: 'integer', minimum: 1, default: 1 } },
      required: ['text'],
    },
    run: ({ text, times = 1 }) => text.repeat(times),
  }),
]

const overConnections = [
  tool('paced', 'Reports five steps of progress, slowly enough to lose the connection in between.', {
    run: (_input, call) => pace(call, 300),
  }),
  tool('drop', 'Ends the connection in the middle of the call, then goes on.', {
    run: async (_input, call) => {
      call.progress(1, { total: 2, message: 'before' })
      await sleep(50)
      call.closeConnection()
      await sleep(200)
      call.progress(2, { total: 2, message: 'after' })
      // Clients on an event stream lose progress that arrives together with the answer.
      await sleep(50)
      return 'answered after the connection had ended'
    },
  }),
  tool('ask-form', 'Asks for a name.', {
    run: async (_input, call) =>
      call.clientAbilities.form ? (await call.ask({ name: nameForm })).name : 'this client has no forms',
  }),
  tool('ask-model', 'Asks the model of the client.', {
    run: async (_input, call) =>
      call.clientAbilities.sample ? (await call.ask({ capital: capitalQuestion })).capital : 'this client has no model',
  }),
  tool('ask-roots', 'Asks the client for its roots.', {
    run: async (_input, call) =>
      call.clientAbilities.roots ? (await call.ask({ roots: { kind: 'roots' } })).roots : 'this client has no roots',
  }),
  tool('ask-twice', 'Asks the model and for the roots at once, then the model again.', {
    run: async (_input, call) => {
      const first = await call.ask({ capital: capitalQuestion, roots: { kind: 'roots' } })
      const second = await call.ask({ again: capitalQuestion })
      return [first.capital.content.text, first.roots.roots.length, second.again.content.text]
    },
  }),
  tool('talk', 'Writes to the log of the client.', {
    run: (_input, call) => {
      call.log('debug', 'too much')
      call.log('info', { text: 'enough' }, 'talker')
      call.log('error', 'too bad')
      return 'said'
    },
  }),
  tool('change', 'Reports that a list has changed.', {
    input: { type: 'object', properties: { list: { enum: ['tools', 'resources', 'prompts'] } }, required: ['list'] },
    run: ({ list }, call) => {
      call.notifyListChanged(list)
      return list
    },
  }),
  tool('touch', 'Reports that a resource has changed.', {
    input: strings('uri'),
    run: ({ uri }, call) => {
      call.notifyResourceUpdated(uri)
      return uri
    },
  }),
]

export const tools = [...shared, ...overConnections]

async function pace(call, milliseconds) {
  for (let step = 1; step <= 5; step++) {
    call.progress(step, { total: 5, message: `step ${step}` })
    await sleep(milliseconds)
  }
  return '5 steps'
}
