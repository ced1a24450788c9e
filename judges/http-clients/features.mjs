// Checks with a client that supports requests and notifications, against the fixture: questions, log, resources, prompts, completion,
// changes. Each list is `[label, check]`, as in shared/checks.mjs.
import assert from 'node:assert/strict'
import { pixel } from '../../test/fixture/samples.mjs'
import { textOf } from '../shared/checks.mjs'
import { modern } from '../shared/session.mjs'
import { rejectsWith, sleep, until } from './waiting.mjs'

const invalidParams = -32602
const logLevel = 'io.modelcontextprotocol/logLevel'

export function featureChecks(session) {
  return [
    ['capabilities', () => checkCapabilities(session)],
    ...questions(session),
    ...log(session),
    ...resources(session),
    ...prompts(session),
    ...changes(session),
    ['no complaint from the client', () => assert.deepEqual(session.complaints, [])],
    ['close', () => session.close()],
  ]
}

function checkCapabilities({ peer, revision }) {
  const { tools, resources: offered, prompts: has, completions, logging } = peer.getServerCapabilities()
  assert.ok(tools && offered && has, 'tools, resources and prompts are not all offered')
  assert.ok(tools.listChanged && offered.listChanged && has.listChanged, 'a list is not announced as changing')
  assert.equal(offered.subscribe, true, 'resources cannot be subscribed to')
  if (revision >= '2025-03-26') assert.ok(completions, 'no completions')
  if (revision < modern) assert.ok(logging, 'no logging')
}

function questions({ callTool, asked, revision }) {
  const hasForms = revision >= '2025-06-18'
  const last = (method) => asked.findLast((question) => question.method === method)
  return [
    [
      'a form',
      async () => {
        const text = textOf(await callTool('ask-form'))
        if (!hasForms) return assert.equal(text, 'this client has no forms')
        assert.deepEqual(JSON.parse(text), { action: 'accept', content: { name: 'Ada' } })
        const { message, requestedSchema, mode } = last('elicitation/create').params
        assert.equal(message, 'What is your name?')
        assert.deepEqual(requestedSchema.required, ['name'])
        if (revision < '2025-11-25') assert.equal(mode, undefined, 'a mode that this revision does not have')
      },
    ],
    [
      'the model of the client',
      async () => {
        const answer = JSON.parse(textOf(await callTool('ask-model')))
        assert.equal(answer.model, 'judge-model')
        assert.deepEqual(answer.content, { type: 'text', text: 'Paris' })
        const { messages, maxTokens } = last('sampling/createMessage').params
        assert.deepEqual(messages[0].content, { type: 'text', text: 'Capital of France?' })
        assert.equal(maxTokens, 10)
      },
    ],
    [
      'roots',
      async () => {
        const { roots } = JSON.parse(textOf(await callTool('ask-roots')))
        assert.deepEqual(roots, [{ uri: 'file:///judge', name: 'judge' }])
      },
    ],
    ['questions in two rounds', async () => assert.equal(textOf(await callTool('ask-twice')), '["Paris",1,"Paris"]')],
    [
      'ten calls that ask at once',
      async () => {
        const results = await Promise.all(Array.from({ length: 10 }, () => callTool('ask-model')))
        for (const result of results) assert.equal(JSON.parse(textOf(result)).content.text, 'Paris')
      },
    ],
  ]
}

function log({ callTool, peer, notifications, revision }) {
  const logMessages = () =>
    notifications.filter(({ method }) => method === 'notifications/message').map(({ params }) => params)
  return [
    [
      'log at the level asked for',
      async () => {
        if (revision < modern) await peer.setLoggingLevel('info')
        const before = logMessages().length
        await callTool('talk', {}, {}, revision < modern ? undefined : { [logLevel]: 'info' })
        await until('two messages came', () => logMessages().length === before + 2)
        const [first, second] = logMessages().slice(before)
        assert.deepEqual(first, { ...first, level: 'info', logger: 'talker', data: { text: 'enough' } })
        assert.deepEqual(second, { ...second, level: 'error', data: 'too bad' })
      },
    ],
    revision >= modern && [
      'no log unless asked for',
      async () => {
        const before = logMessages().length
        await callTool('talk')
        await callTool('recall')
        assert.equal(logMessages().length, before)
      },
    ],
  ].filter(Boolean)
}

function resources({ peer, revision, wire }) {
  return [
    [
      'resources',
      async () => {
        const { resources: listed } = await peer.listResources()
        assert.deepEqual(
          listed.map(({ uri, name, mimeType }) => [uri, name, mimeType]),
          [
            ['note://first', 'first', 'text/plain'],
            ['note://pixel', 'pixel', 'image/png'],
          ],
        )
      },
    ],
    [
      'resource templates',
      async () => {
        const { resourceTemplates } = await peer.listResourceTemplates()
        assert.deepEqual(
          resourceTemplates.map(({ uriTemplate, name }) => [uriTemplate, name]),
          [['person://{name}', 'person']],
        )
      },
    ],
    [
      'reading text, bytes and a template',
      async () => {
        const read = async (uri) => (await peer.readResource({ uri })).contents
        const [note] = await read('note://first')
        assert.deepEqual(
          [note.uri, note.mimeType, note.text],
          ['note://first', 'text/plain', 'words of the first note'],
        )
        const [bytes] = await read('note://pixel')
        assert.deepEqual([bytes.uri, bytes.mimeType, bytes.blob], ['note://pixel', 'image/png', pixel])
        const [entry] = await read('person://Ada')
        assert.deepEqual([entry.uri, entry.text], ['person://Ada', 'Ada was here'])
      },
    ],
    [
      'reading what is not there',
      async () => {
        for (const uri of ['note://nowhere', 'person://Unknown']) {
          await rejectsWith(peer.readResource({ uri }))
          // Client 2.4.0 translates the code of the older revisions, so it is read off the wire.
          const { error } = JSON.parse(wire.findLast(({ to }) => to === 'client').line)
          assert.equal(error?.code, revision < modern ? -32002 : invalidParams, error?.message)
        }
      },
    ],
  ]
}

function prompts({ peer, revision }) {
  return [
    [
      'prompts',
      async () => {
        const { prompts: listed } = await peer.listPrompts()
        assert.deepEqual(
          listed.map(({ name, arguments: args = [] }) => [
            name,
            args.map((argument) => [argument.name, argument.required ?? false]),
          ]),
          [
            [
              'greet',
              [
                ['name', true],
                ['tone', false],
              ],
            ],
            ['look', []],
          ],
        )
      },
    ],
    [
      'getting a prompt',
      async () => {
        const { messages } = await peer.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })
        assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Greet Ada in a plain tone.' } }])
        const shown = await peer.getPrompt({ name: 'look' })
        assert.deepEqual(shown.messages[0].content, { type: 'image', data: pixel, mimeType: 'image/png' })
      },
    ],
    [
      'a prompt without its argument',
      () => rejectsWith(peer.getPrompt({ name: 'greet', arguments: {} }), invalidParams),
    ],
    ['a prompt that is not there', () => rejectsWith(peer.getPrompt({ name: 'unknown' }), invalidParams)],
    [
      'completion of a prompt and of a template',
      async () => {
        const complete = async (ref, value) =>
          (await peer.complete({ ref, argument: { name: 'name', value } })).completion.values
        assert.deepEqual(await complete({ type: 'ref/prompt', name: 'greet' }, 'A'), ['Ada', 'Alan'])
        assert.deepEqual(await complete({ type: 'ref/resource', uri: 'person://{name}' }, 'G'), ['Grace'])
        assert.deepEqual(await complete({ type: 'ref/prompt', name: 'greet' }, 'Z'), [])
      },
    ],
    revision >= modern && ['prompts again', async () => assert.equal((await peer.listPrompts()).prompts.length, 2)],
  ].filter(Boolean)
}

function changes(session) {
  const { callTool, client, notifications, peer, revision } = session
  const times = (method, uri) =>
    notifications.filter((note) => note.method === method && (!uri || note.params?.uri === uri)).length
  const touched = 'notifications/resources/updated'
  let stream
  return [
    revision >= modern && [
      'listening',
      async () => {
        const filter = {
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: ['note://first'],
        }
        stream = await peer.listen(filter)
        assert.deepEqual(stream.honoredFilter, filter)
      },
    ],
    ...['tools', 'resources', 'prompts'].map((list) => [
      `the ${list} changed`,
      async () => {
        const method = `notifications/${list}/list_changed`
        const before = times(method)
        await callTool('change', { list })
        await until(`${method} came`, () => times(method) > before)
      },
    ]),
    [
      'a subscribed resource changed, another did not',
      async () => {
        if (revision < modern) await peer.subscribeResource({ uri: 'note://first' })
        // A bridge may confirm two seconds before it subscribes.
        if (client.over === 'stdio') await sleep(2500)
        await callTool('touch', { uri: 'note://pixel' })
        await callTool('touch', { uri: 'note://first' })
        await until('the update came', () => times(touched, 'note://first') === 1)
        assert.equal(times(touched, 'note://pixel'), 0, 'an update without a subscription')
      },
    ],
    [
      'nothing after the end of the subscription',
      async () => {
        if (stream) await stream.close()
        else await peer.unsubscribeResource({ uri: 'note://first' })
        await sleep(200)
        await callTool('touch', { uri: 'note://first' })
        await callTool('recall')
        assert.equal(times(touched), 1)
      },
    ],
  ].filter(Boolean)
}
