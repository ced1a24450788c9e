// What a user of the published SDK gets back through the proxy: results whose every text is JSON, and errors as errors.
import assert from 'node:assert/strict'
import { pixel, silence } from '../../test/fixture/samples.mjs'
import { mentions, readContent } from './format.mjs'
import { openSdk } from './sdk.mjs'

export function sdkChecks(platform, { call }) {
  const sdk = openSdk(platform)
  const [name] = call('')
  return [
    ['a call', async () => assert.ok(mentions(readContent((await sdk.invoke(...call('hello'))).result), 'hello'))],
    [
      'a call for a user, with the address of the user among the arguments',
      async () => {
        const { result, status } = await sdk.invoke(...call('hello'), 'user@example.com')
        assert.equal(status, 'success')
        const sent = platform.invocations.at(-1).arguments
        assert.equal(sent.user_email, 'user@example.com')
        assert.equal(typeof sent._iam_context, 'object')
        assert.ok(!result.isError, JSON.stringify(result))
        assert.ok(mentions(readContent(result), 'hello'))
      },
    ],
    ['an unknown tool', () => assert.rejects(sdk.invoke('nope', {}), /MCP tool error \(-32602\)/)],
    [
      'arguments that do not fit',
      async () => {
        // A protocol error or, as later revisions have it, a result with the reason.
        const { error, result } = await sdk.invoke(name, {}).catch((reason) => ({ error: reason }))
        if (error) return assert.match(error.message, /MCP tool error \(-32602\)/)
        assert.equal(result.isError, true)
        readContent(result)
      },
    ],
  ]
}

export function shellChecks(platform) {
  const sdk = openSdk(platform)
  return [
    [
      'a failing command',
      async () => {
        const { result } = await sdk.invoke('Bash', { command: 'echo oops >&2; exit 3' })
        assert.equal(result.isError, true)
        const values = readContent(result)
        assert.ok(mentions(values, 'oops') && /\b3\b/.test(JSON.stringify(values)), JSON.stringify(values))
      },
    ],
    [
      'output that looks like an event stream, with every awkward character',
      async () => {
        const { result } = await sdk.invoke('Bash', {
          command: String.raw`printf 'event: x\ndata: {"a":1}\n\n\r\n\t"q"\\ \342\200\250 é'`,
        })
        assert.ok(mentions(readContent(result), 'event: x\ndata: {"a":1}\n\n'))
      },
    ],
    ['a silent command', async () => assert.ok(readContent((await sdk.invoke('Bash', { command: 'true' })).result))],
  ]
}

export function blockChecks(platform) {
  const sdk = openSdk(platform)
  const block = async (kind) => readContent((await sdk.invoke('blocks', { kind })).result)
  return [
    ['text as JSON', async () => assert.ok(mentions(await block('text'), 'plain words'))],
    [
      'an image as JSON',
      async () => assert.ok(mentions(await block('image'), pixel) && mentions(await block('image'), 'image/png')),
    ],
    ['sound as JSON', async () => assert.ok(mentions(await block('audio'), silence))],
    ['a link as JSON', async () => assert.ok(mentions(await block('resource_link'), 'file:///fixture/linked.txt'))],
    ['a resource as JSON', async () => assert.ok(mentions(await block('resource'), 'embedded words'))],
    ['every kind at once', async () => assert.equal((await block('all')).length, 5)],
    [
      'structured output',
      async () =>
        assert.ok(/\b3\b/.test(JSON.stringify(readContent((await sdk.invoke('structured', { a: 2 })).result)))),
    ],
    [
      'a failure reported by the tool',
      async () => {
        const { result } = await sdk.invoke('refuse', {})
        assert.equal(result.isError, true)
        assert.ok(mentions(readContent(result), 'the answer is no'))
      },
    ],
    ['an error in a tool', () => assert.rejects(sdk.invoke('bug', {}), /MCP tool error \(-32603\)/)],
    [
      'progress that is not shown',
      async () => assert.ok(mentions(readContent((await sdk.invoke('steps', {})).result), '5 steps')),
    ],
  ]
}
