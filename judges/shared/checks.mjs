// The checks, written once for every client, server process and runtime. Each list is `[label, check]` in the order
// they run on one connection; a check throws when it does not hold.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pixel, shapesInput, silence } from '../../test/fixture/samples.mjs'
import { knowsContent, knowsField, wireFaults } from './revisions.mjs'
import { modern } from './session.mjs'

const invalidParams = -32602
const internalError = -32603

/** What every server owes every client, whatever its tools. */
export function handshake(session, { name, version }) {
  return [
    ['negotiated version', () => assert.equal(session.negotiated(), session.revision)],
    [
      'server name',
      () => {
        assert.equal(session.serverInfo()?.name, name)
        if (version) assert.equal(session.serverInfo().version, version)
      },
    ],
    ['ping', session.revision < modern && (() => session.ping())],
    ['unknown tool', () => rejectsWith(session.callTool('NoSuchTool', {}), invalidParams)],
  ].filter(([, check]) => check)
}

/** The end of a session with nothing in flight. */
export function farewell(session) {
  return [
    ['no complaint from the client', () => none(session.complaints)],
    ['every line on the wire', () => none(wireFaults(session.wire, session.revision))],
    ['clean close', () => closes(session, 1000)],
  ]
}

/** The shell server itself. */
export function serverChecks(session, scratch) {
  const bash = (command, options) => session.callTool('Bash', { command }, options)
  return [
    ...handshake(session, { name: 'scorpiox-code' }),
    [
      'listTools',
      async () => {
        const { tools } = await session.listTools()
        const tool = tools.find((entry) => entry.name === 'Bash')
        assert.ok(tool, 'no Bash in the list')
        assert.equal(tool.inputSchema.type, 'object')
        assert.deepEqual(tool.inputSchema.required, ['command'])
        checkFields(session.revision, listedTool(session.wire, 'Bash'), ['title', 'annotations'])
      },
    ],
    [
      'call',
      async () => {
        const result = await bash('echo hello')
        assert.ok(!result.isError, 'isError is set')
        assert.match(textOf(result), /^hello$/m)
      },
    ],
    [
      'failing command',
      async () => {
        const result = await bash('echo oops >&2; exit 3')
        assert.equal(result.isError, true)
        assert.match(textOf(result), /oops/)
        assert.match(textOf(result), /\b3\b/)
      },
    ],
    ['missing argument', () => refusesArguments(session, 'Bash', {}, /command/)],
    ['argument of the wrong type', () => refusesArguments(session, 'Bash', { command: 7 }, /command/)],
    [
      'progress',
      async () => {
        const seen = []
        const result = await bash('for i in 1 2 3 4; do echo "line $i"; sleep 0.5; done', {
          onprogress: (update) => seen.push(update.progress),
        })
        assert.match(textOf(result), /line 4/)
        assert.ok(seen.length > 0, 'no progress in two seconds of output')
        checkIncreasing(seen)
      },
    ],
    [
      'cancel',
      async () => {
        const running = await startCommand(session, scratch, 'cancelled')
        running.abort()
        await assert.rejects(running.answer)
        await running.gone()
        assert.match(textOf(await bash('echo still here')), /still here/)
      },
    ],
    [
      '50 concurrent calls',
      async () => {
        const numbers = Array.from({ length: 50 }, (_, index) => index)
        const results = await Promise.all(numbers.map((number) => bash(`echo number $((${number} + 1000))`)))
        for (const number of numbers)
          assert.match(textOf(results[number]), new RegExp(`^number ${number + 1000}$`, 'm'))
      },
    ],
    ...farewell(session),
  ]
}

/** A second connection, closed while a command runs: neither the server nor the command may stay behind. */
export function serverInterrupted(session, scratch) {
  return [
    [
      'close during a call',
      async () => {
        const running = await startCommand(session, scratch, 'closed')
        const closing = await Promise.allSettled([closes(session, session.closeLimitMs)])
        await running.gone()
        if (closing[0].status === 'rejected') throw closing[0].reason
      },
    ],
  ]
}

/** The server written on the library. */
export function fixtureChecks(session) {
  const { revision } = session
  const call = (name, args = {}, options) => session.callTool(name, args, options)
  const wait = (label) => {
    const abort = new AbortController()
    const answer = call('wait', { label }, { signal: abort.signal })
    return { abort: () => abort.abort(), answer }
  }
  return [
    ...handshake(session, { name: 'fixture', version: '1.0.0' }),
    [
      'listTools',
      async () => {
        const { tools } = await session.listTools()
        const names = new Set(tools.map((tool) => tool.name))
        for (const name of ['structured', 'blocks', 'steps', 'wait', 'shapes']) assert.ok(names.has(name), name)
        const entry = listedTool(session.wire, 'structured')
        checkFields(revision, entry, ['title', 'annotations', 'outputSchema'])
        if (knowsField(revision, 'annotations')) {
          const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = entry.annotations
          assert.deepEqual([readOnlyHint, destructiveHint, idempotentHint, openWorldHint], [true, false, true, false])
        }
        if (knowsField(revision, 'outputSchema')) assert.deepEqual(entry.outputSchema.required, ['sum'])
      },
    ],
    [
      'schema with $defs and anyOf',
      async () => {
        const { $schema, ...schema } = listedTool(session.wire, 'shapes').inputSchema
        const { $schema: dialect, ...expected } = shapesInput
        assert.deepEqual(schema, expected)
        if ($schema !== undefined) assert.equal($schema, dialect)
        const result = await call('shapes', { shapes: [{ radius: 2 }, { sides: [3, 4] }] })
        assert.equal(textOf(result), 'circle, box')
        await refusesArguments(session, 'shapes', { shapes: [{ sides: [3, 4, 5] }] }, /shapes/)
        await refusesArguments(session, 'shapes', { shapes: [{ radius: 1, colour: 'red' }] }, /shapes/)
      },
    ],
    [
      'structured output',
      async () => {
        const result = await call('structured', { a: 2 })
        assert.equal(textOf(result), '{"sum":3}')
        const expected = knowsField(revision, 'outputSchema') ? { sum: 3 } : undefined
        assert.deepEqual(result.structuredContent, expected)
      },
    ],
    ['missing argument', () => refusesArguments(session, 'structured', {}, /\ba\b/)],
    ...['text', 'image', 'audio', 'resource_link', 'resource'].map((kind) => [
      `${kind} content`,
      async () => checkBlock(revision, kind, (await call('blocks', { kind })).content, 1),
    ]),
    [
      'every kind of content in one answer',
      async () => {
        const { content } = await call('blocks', { kind: 'all' })
        for (const kind of ['text', 'image', 'audio', 'resource_link', 'resource'])
          checkBlock(revision, kind, content, 5)
      },
    ],
    [
      'progress',
      async () => {
        const seen = []
        const result = await call('steps', {}, { onprogress: (update) => seen.push(update) })
        assert.equal(textOf(result), '5 steps')
        assert.deepEqual(
          seen.map(({ progress, total }) => [progress, total]),
          [1, 2, 3, 4, 5].map((step) => [step, 5]),
        )
        const messages = [1, 2, 3, 4, 5].map((step) => (revision >= '2025-03-26' ? `step ${step}` : undefined))
        assert.deepEqual(
          seen.map(({ message }) => message),
          messages,
        )
      },
    ],
    ['progress that was not requested', async () => assert.equal(textOf(await call('steps')), '5 steps')],
    [
      'cancel',
      async () => {
        const running = wait('cancelled')
        await until('the call was sent', () => sent(session.wire, 'cancelled'))
        await sleep(100)
        running.abort()
        await assert.rejects(running.answer)
        await until('the tool saw the abort', async () => textOf(await call('recall')) === '["cancelled"]')
      },
    ],
    [
      'an error in a tool',
      async () => {
        await rejectsWith(call('bug'), internalError)
        assert.equal(textOf(await call('echo', { text: 'alive' })), 'alive')
      },
    ],
    [
      'a failure reported by a tool',
      async () => {
        const result = await call('refuse')
        assert.equal(result.isError, true)
        assert.equal(textOf(result), 'the answer is no')
      },
    ],
    [
      'text as it was',
      async () => {
        const text = 'tab\t quote" back\\slash\r\nline \u2028 \u2029 null\u0000 é 漢字 \u{1F600}'
        assert.equal(textOf(await call('echo', { text })), text)
      },
    ],
    [
      'two megabytes',
      async () => {
        const result = await call('echo', { text: 'é漢\u{1F600}-', times: 200_000 })
        assert.equal(textOf(result), 'é漢\u{1F600}-'.repeat(200_000))
      },
    ],
    [
      '50 concurrent calls',
      async () => {
        const numbers = Array.from({ length: 50 }, (_, index) => index)
        const results = await Promise.all(numbers.map((a) => call('structured', { a })))
        assert.deepEqual(
          results.map(textOf),
          numbers.map((a) => `{"sum":${a + 1}}`),
        )
      },
    ],
    ...farewell(session),
  ]
}

/** A second connection, closed while a tool waits for its abort. */
export function fixtureInterrupted(session) {
  return [
    [
      'close during a call',
      async () => {
        session.callTool('wait', { label: 'closed' }).catch(() => {})
        await until('the call was sent', () => sent(session.wire, 'closed'))
        await sleep(100)
        await closes(session, session.closeLimitMs)
      },
    ],
  ]
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Polls, because what is awaited happens in another process. */
async function until(what, condition, limit = 3000) {
  const end = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${limit} ms in vain until ${what}`)
    await sleep(20)
  }
}

export function textOf({ content }) {
  return content
    .filter((entry) => entry.type === 'text')
    .map((entry) => entry.text)
    .join('')
}

/** The tool as the server sent it; what a client returns may have lost the fields its schema does not name. */
export function listedTool(wire, name) {
  for (const { to, line } of wire.toReversed()) {
    if (to !== 'client' || !line.includes('"tools":[')) continue
    const tool = JSON.parse(line).result?.tools?.find((entry) => entry.name === name)
    if (tool) return tool
  }
  throw new Error(`${name} never crossed the wire`)
}

function sent(wire, label) {
  return wire.some(({ to, line }) => to === 'server' && line.includes('"wait"') && line.includes(`"${label}"`))
}

function checkFields(revision, tool, fields) {
  for (const field of fields) {
    assert.equal(Object.hasOwn(tool, field), knowsField(revision, field), `${field} at ${revision}`)
  }
}

function none(faults) {
  assert.ok(faults.length === 0, faults.join('; '))
}

function checkIncreasing(numbers) {
  for (const [index, number] of numbers.entries()) {
    assert.ok(index === 0 || number > numbers[index - 1], `progress went ${numbers.join(', ')}`)
  }
}

async function closes(session, limit) {
  const { code, signal, milliseconds } = await session.close()
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, `exit code ${code}, signal ${signal}`)
  assert.ok(milliseconds <= limit, `took ${milliseconds} ms to exit`)
}

async function rejectsWith(promise, code) {
  const outcome = await promise.then(
    (value) => assert.fail(`answered ${JSON.stringify(value).slice(0, 200)}`),
    (error) => error,
  )
  assert.equal(outcome.code, code, `code ${outcome.code}: ${outcome.message}`)
}

/** At 2024-11-05 bad arguments are a protocol error; later the model gets to read what was wrong. */
export async function refusesArguments(session, name, args, naming) {
  const answer = session.callTool(name, args)
  if (session.revision === '2024-11-05') return rejectsWith(answer, invalidParams)
  const result = await answer
  assert.equal(result.isError, true, `answered ${JSON.stringify(result).slice(0, 200)}`)
  assert.match(textOf(result), naming)
}

function checkBlock(revision, kind, content, count) {
  assert.equal(content.length, count, `${content.length} blocks`)
  if (!knowsContent(revision, kind)) {
    const pattern = { audio: /audio\/wav/, resource_link: /file:\/\/\/fixture\/linked\.txt/ }[kind]
    assert.ok(
      content.some((entry) => entry.type === 'text' && pattern.test(entry.text)),
      `no text in place of ${kind}: ${JSON.stringify(content).slice(0, 200)}`,
    )
    return
  }
  const expected = {
    text: { text: 'plain words' },
    image: { data: pixel, mimeType: 'image/png' },
    audio: { data: silence, mimeType: 'audio/wav' },
    resource_link: { uri: 'file:///fixture/linked.txt', name: 'linked.txt' },
    resource: { resource: { uri: 'file:///fixture/embedded.txt', text: 'embedded words' } },
  }[kind]
  const block = content.find((entry) => entry.type === kind)
  assert.deepEqual(block, { type: kind, ...expected })
}

/** Starts a command with a child of its own and waits until both run; `gone` waits until neither does. */
async function startCommand(session, scratch, label) {
  const file = join(scratch, `${label}-${process.pid}-${Math.random().toString(36).slice(2)}.pids`)
  const abort = new AbortController()
  const command = `sleep 60 & echo "$$ $!" > '${file}.new'; mv '${file}.new' '${file}'; wait`
  const answer = session.callTool('Bash', { command }, { signal: abort.signal })
  answer.catch(() => {})
  await until('the command ran', () => existsSync(file), 10_000)
  const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number)
  return {
    abort: () => abort.abort(),
    answer,
    gone: () =>
      until('the command and its child were gone', () => !pids.some(runs)).catch((error) => {
        for (const pid of pids.filter(runs)) process.kill(pid, 'SIGKILL')
        throw error
      }),
  }
}

function runs(pid) {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A killed process whose parent has not collected it yet still has a pid, but runs no more.
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}
