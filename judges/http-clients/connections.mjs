// What only shows when connections begin, break and end: a stream that the server or the network cuts, two clients with
// the same ids, the end of a session, and clients without the right to one.
import assert from 'node:assert/strict'
import { textOf } from '../shared/checks.mjs'
import { modern } from '../shared/session.mjs'
import { openHttpSession } from './session.mjs'
import { rejectsWith, sleep, until } from './waiting.mjs'

/** The server ends the stream in the middle of a call: clients that can resume do, others are not affected. */
export function hangUpChecks(session) {
  const { client, callTool, revision } = session
  return [
    [
      'the server ends the stream in the middle of a call',
      async () => {
        const seen = []
        const result = await callTool('drop', {}, { onprogress: ({ progress }) => seen.push(progress) })
        assert.equal(textOf(result), 'answered after the connection had ended')
        assert.deepEqual(seen, [1, 2])
        const returned = session.exchanges().some(({ method, lastEventId }) => method === 'GET' && lastEventId)
        const canReturn = client.over === 'http' && revision === '2025-11-25'
        assert.equal(returned, canReturn, canReturn ? 'the client did not come back for the rest' : 'it came back')
      },
    ],
    [
      'a failure after the stream is known to be resumable leaves nothing to come back for',
      async () => {
        const before = session.exchanges().length
        await rejectsWith(callTool('bug', {}, { onprogress: () => {} }), -32603)
        await sleep(1500)
        const gets = session
          .exchanges()
          .slice(before)
          .filter(({ method }) => method === 'GET')
        assert.ok(gets.length <= 1, `the client came back ${gets.length} times`)
        assert.deepEqual(session.complaints, [])
      },
    ],
    ['close', () => session.close()],
  ]
}

/** The network cuts every connection in the middle of a call; nothing of it may be lost. */
export function cutChecks(session, { cut }) {
  return [
    [
      'the network fails in the middle of a call',
      async () => {
        const seen = []
        const onprogress = ({ progress }) => {
          seen.push(progress)
          if (progress === 2) cut()
        }
        assert.equal(textOf(await session.callTool('paced', {}, { onprogress })), '5 steps')
        assert.deepEqual(seen, [1, 2, 3, 4, 5])
      },
    ],
    ['the session goes on', async () => assert.equal(textOf(await session.callTool('echo', { text: 'on' })), 'on')],
    ['close', () => session.close()],
  ]
}

/** An event stream comes back by itself, as a new one, and its client goes on where it was without a new handshake. */
export function streamCutChecks(session, { cut }) {
  const streams = () => session.exchanges().filter(({ path, status }) => path === '/sse' && status === 200).length
  return [
    [
      'the network fails between two calls',
      async () => {
        assert.equal(textOf(await session.callTool('echo', { text: 'before' })), 'before')
        cut()
        await until('the event stream was back', () => streams() === 2, 10_000)
        await sleep(300)
        assert.equal(textOf(await session.callTool('echo', { text: 'after' })), 'after')
      },
    ],
    ['close', () => session.close()],
  ]
}

/** A second client of the same kind beside the first: both count their requests from the same number. */
export function pairChecks(session, server) {
  let other
  const both = () => [session, other]
  return [
    [
      'a second client connects',
      async () => {
        other = await openHttpSession(session.client, server, true)
        await other.connect()
      },
    ],
    [
      'the same ids at the same time',
      async () => {
        const texts = Array.from({ length: 25 }, (_, index) => `number ${index}`)
        const answers = await Promise.all(
          both().map((peer, index) =>
            Promise.all(texts.map((text) => peer.callTool('echo', { text: `${index}: ${text}` }))),
          ),
        )
        for (const [index, results] of answers.entries()) {
          assert.deepEqual(
            results.map(textOf),
            texts.map((text) => `${index}: ${text}`),
          )
        }
      },
    ],
    [
      'progress with the same token at the same time',
      async () => {
        const seen = both().map(() => [])
        await Promise.all(
          both().map((peer, index) =>
            peer.callTool('steps', {}, { onprogress: ({ progress }) => seen[index].push(progress) }),
          ),
        )
        assert.deepEqual(seen, [
          [1, 2, 3, 4, 5],
          [1, 2, 3, 4, 5],
        ])
      },
    ],
    [
      'the cancellation of one leaves the other alone',
      async () => {
        const abort = new AbortController()
        const mine = session.callTool('wait', { label: 'mine' }, { signal: abort.signal })
        const theirs = other.callTool('paced')
        await sleep(200)
        abort.abort()
        await assert.rejects(mine)
        assert.equal(textOf(await theirs), '5 steps')
        await until('the tool saw the abort', async () => textOf(await other.callTool('recall')).includes('"mine"'))
      },
    ],
    [
      'the end of one stops its calls and leaves the other alone',
      async () => {
        session.callTool('wait', { label: 'left behind' }).catch(() => {})
        await sleep(200)
        await session.close()
        await until('the call was stopped', async () =>
          textOf(await other.callTool('recall')).includes('"left behind"'),
        )
      },
    ],
    session.client.over === 'http' &&
      session.revision < modern && [
        'a session that has ended is not found',
        async () => {
          const { session: id, version } = session.exchanges().find((entry) => entry.method === 'DELETE')
          assert.ok(id, 'no session was ended')
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
          const { status } = await fetch(server.url, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
              'mcp-session-id': id,
              ...(version && { 'mcp-protocol-version': version }),
              ...(server.token && { authorization: `Bearer ${server.token}` }),
            },
            body,
          })
          assert.equal(status, 404)
        },
      ],
    ['close', () => other.close()],
  ].filter(Boolean)
}

/** The first and the last moment of a client without a token, or with a wrong one. */
export function strangerChecks(client, server) {
  return ['no token', 'a wrong token'].map((what) => [
    what,
    async () => {
      const unauthorized = await openHttpSession(client, {
        url: server.url,
        token: what === 'no token' ? undefined : 'guessed',
      })
      try {
        const error = await rejectsWith(unauthorized.connect())
        // Some packages expose the status as a code, some in the message, the oldest not at all.
        const details = [error.code, error.status, error.message, error.event?.code].join(' ')
        if (client.from !== 'sdk-1.0.4') assert.match(details, /401/)
      } finally {
        unauthorized.dispose()
      }
    },
  ])
}
