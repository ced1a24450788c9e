// What a session does around calls: observation, cancellation, errors, task handles, and messages that are no requests.

import { describe, expect, test, vi } from 'vitest'

import type { CallContext } from '../definitions/call-context.js'
import { createChangeEvents } from '../definitions/change-events.js'
import { defineTool } from '../definitions/tool.js'
import { Failure, INVALID_PARAMS, ProtocolError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { ErrorAnswer, getAnswerText, type MessageSink, parseMessage, TrackedAnswer } from '../jsonrpc/message.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'
import { createLocalCaller } from '../definitions/caller.js'
import { createSession, type CallMetric, type SessionOptions } from './session.js'

const TASKS = 'io.modelcontextprotocol/tasks'
const caller = { user: 'ann', session: 'one' }
const modern = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  },
}

function open(
  run: (call: CallContext) => unknown,
  definition: Partial<ServerDefinition> = {},
  options: SessionOptions = {},
  sinkMembers: Partial<MessageSink> = {},
) {
  const errors: unknown[] = []
  const tool = defineTool({
    name: 'run',
    taskSupport: 'sometimes',
    input: { type: 'object' },
    run: (_input, call) => run(call),
  })
  const server = createMcpServer({
    name: 'test',
    version: '0',
    tools: [tool],
    logError: (error) => errors.push(error),
    ...definition,
  })
  const sent: JsonObject[] = []
  const take = (text: string): void => void sent.push(JSON.parse(text))
  const sink: MessageSink = { notify: take, send: take, ...sinkMembers }
  const session = createSession(server, caller, { sink, ...options })
  const receive = (message: object | string) =>
    session.receive(parseMessage(typeof message === 'string' ? message : JSON.stringify(message)), sink)
  const ask = async (method: string, params: object = {}, id = 1): Promise<JsonObject | undefined> => {
    const text = getAnswerText(await receive({ jsonrpc: '2.0', id, method, params }))
    return text === undefined ? undefined : JSON.parse(text)
  }
  const call = (params: object = {}, id = 1) => ask('tools/call', { name: 'run', ...params }, id)
  return { session, server, errors, sent, receive, ask, call }
}

function resultOf(answer: JsonObject | undefined): JsonObject {
  if (!isJsonObject(answer?.result)) throw new Error(`no result: ${JSON.stringify(answer)}`)
  return answer.result
}

function untilAborted({ signal }: CallContext): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

describe('an observed call', () => {
  const runs: readonly (readonly [string, (call: CallContext) => unknown])[] = [
    ['ok', () => 'done'],
    ['ok', async () => 'done'],
    ['error', () => ({ content: 'no', isError: true })],
    [
      'error',
      async () => {
        throw new Failure('no')
      },
    ],
    [
      'error',
      () => {
        throw new Error('bug')
      },
    ],
  ]

  test.each(runs)('is reported as %s (%#)', async (outcome, run) => {
    const events: unknown[] = []
    const metrics: CallMetric[] = []
    let started: unknown
    const observer = {
      onStart: (by: unknown, call: unknown) => void events.push(['start', by, (started = call)]),
      onEnd: (by: unknown, end: unknown, start: unknown) => void events.push(['end', by, end, start === started]),
      onDisconnect: (by: unknown) => void events.push(['disconnect', by]),
    }
    const { call, ask, session } = open(run, { observer }, { onCall: (metric) => metrics.push(metric) })
    const before = performance.now()
    await call({ arguments: { a: 1 } })
    await ask('tools/list')
    const input = { a: 1 }
    await vi.waitFor(() => expect(metrics).toEqual([{ tool: 'run', outcome, seconds: expect.any(Number) }]))
    const elapsed = performance.now() - before
    const client = expect.objectContaining({ name: '', version: '' })
    const answer = outcome === 'cancelled' ? undefined : expect.stringContaining('"jsonrpc":"2.0"')
    expect(events).toEqual([
      ['start', caller, { tool: 'run', input, client }],
      ['end', caller, { tool: 'run', input, client, outcome, ms: expect.any(Number), answer }, true],
    ])
    expect(metrics[0]?.seconds).toBeGreaterThanOrEqual(0)
    expect(metrics[0]?.seconds).toBeLessThanOrEqual(elapsed / 1000)
    session.disconnect('gone')
    expect(events.at(-1)).toEqual(['disconnect', caller])
  })

  test('that the client cancels is reported as cancelled', async () => {
    const metrics: CallMetric[] = []
    const { call, receive } = open(untilAborted, {}, { onCall: (metric) => metrics.push(metric) })
    const answer = call()
    void receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await answer).toBeUndefined()
    await vi.waitFor(() => expect(metrics).toMatchObject([{ outcome: 'cancelled' }]))
  })

  test('is answered the same with an observer alone or a metric alone', async () => {
    const observer = { onStart: vi.fn(), onEnd: vi.fn(), onDisconnect: vi.fn() }
    const content = [{ type: 'text', text: 'done' }]
    expect(await open(() => 'done', { observer }).call()).toMatchObject({ result: { content } })
    expect([observer.onStart.mock.calls.length, observer.onEnd.mock.calls.length]).toEqual([1, 1])
    const onCall = vi.fn()
    expect(await open(() => 'done', {}, { onCall }).call()).toMatchObject({ result: { content } })
    expect(onCall.mock.calls).toHaveLength(1)
  })

  test('the end of a stateless session is not reported', () => {
    const observer = { onStart: vi.fn(), onEnd: vi.fn(), onDisconnect: vi.fn() }
    open(() => '', { observer }, { isStateless: true }).session.disconnect('gone')
    expect(observer.onDisconnect.mock.calls).toEqual([])
    open(() => '', { observer }, { isStateless: false }).session.disconnect('gone')
    expect(observer.onDisconnect.mock.calls).toEqual([[caller]])
  })
})

describe('cancellation', () => {
  test.each<[unknown, string]>([
    [{ requestId: 1, reason: 'changed my mind' }, 'changed my mind'],
    [{ requestId: 1, reason: 5 }, 'cancelled by the client'],
    [{ requestId: 1 }, 'cancelled by the client'],
  ])('with %j gives the tool the reason %s', async (params, reason) => {
    let signal: AbortSignal | undefined
    const { call, receive } = open((context) => {
      signal = context.signal
      return untilAborted(context)
    })
    const answer = call()
    void receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    expect(await answer).toBeUndefined()
    expect(signal?.reason).toEqual(new Error(reason))
  })

  test('needs the method and the id of a running request', async () => {
    let finish = (_text: string): void => {}
    const { call, receive } = open(() => new Promise<string>((resolve) => (finish = resolve)))
    const answer = call()
    void receive({ jsonrpc: '2.0', method: 'notifications/other', params: { requestId: 1 } })
    void receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    void receive({ jsonrpc: '2.0', method: 'notifications/cancelled' })
    finish('done')
    expect(await answer).toMatchObject({ result: { content: [{ text: 'done' }] } })
  })

  test('of all requests also aborts those that start later', async () => {
    const { call, session } = open(untilAborted)
    session.disconnect('gone')
    expect(await call()).toMatchObject({ error: { code: -32603, message: 'Not finished: gone' } })
  })

  test('a request that starts after an abort is aborted', async () => {
    const { call, session } = open(untilAborted)
    session.abort('stopping')
    expect(await call()).toMatchObject({ error: { code: -32603, message: 'Not finished: stopping' } })
  })

  test('work that does not stop is answered on request', async () => {
    const { call, session } = open(() => new Promise(() => {}))
    const answer = call()
    session.abort('stopping')
    session.answerUnfinished()
    expect(await answer).toMatchObject({ error: { message: 'Not finished: stopping' } })
    await session.whenIdle()
    expect(session.isBusy).toBe(false)
  })
})

describe('answers', () => {
  test('to malformed messages are errors, to others that are no requests nothing', () => {
    const { receive } = open(() => '')
    expect(receive('5')).toBeInstanceOf(ErrorAnswer)
    expect(receive({ jsonrpc: '2.0', id: 1, result: {} })).toBeUndefined()
    expect(receive({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined()
  })

  test('to unknown methods and to calls that fail tell whether work was started', async () => {
    const bug = new Error('bug')
    const { receive, errors } = open(() => {
      throw bug
    })
    const unknown = receive({ jsonrpc: '2.0', id: 1, method: 'n'.repeat(200) })
    if (!(unknown instanceof ErrorAnswer)) throw new Error('no error')
    expect([unknown.code, unknown.beforeWork]).toEqual([-32601, true])
    expect(JSON.parse(unknown.text).error.message).toBe(`Method not found: ${'n'.repeat(100)}`)
    const failed = await receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run' } })
    if (!(failed instanceof ErrorAnswer)) throw new Error('no error')
    expect([failed.code, failed.beforeWork]).toEqual([-32603, false])
    expect(JSON.parse(failed.text).error.message).toBe("Internal error in tools/call; see the server's log")
    expect(errors).toHaveLength(1)
  })

  test('protocol errors are passed on and not logged, also from a promise', async () => {
    for (const run of [
      () => {
        throw new ProtocolError(-32000, 'refused', { a: 1 })
      },
      async () => {
        throw new ProtocolError(-32000, 'refused', { a: 1 })
      },
    ]) {
      const { call, receive, errors } = open(run)
      expect(await call()).toMatchObject({ error: { code: -32000, message: 'refused', data: { a: 1 } } })
      const answer = await receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run' } })
      expect(answer).toMatchObject({ beforeWork: false })
      expect(errors).toEqual([])
    }
  })

  test.each<[() => unknown, boolean]>([
    [() => 'done', true],
    [async () => 'done', false],
  ])('report to the tool whether they were written (%#)', async (run, written) => {
    const reports: boolean[] = []
    const { receive } = open((call) => {
      call.onAnswerWritten((isWritten) => reports.push(isWritten))
      return run()
    })
    const answer = await receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run' } })
    if (!(answer instanceof TrackedAnswer)) throw new Error('not tracked')
    expect(reports).toEqual([])
    answer.reportWritten(written)
    expect(reports).toEqual([written])
  })

  test.each([
    () => {
      throw new Error('bug')
    },
    async () => {
      throw new Error('bug')
    },
  ])('that are errors count as not written (%#)', async (run) => {
    const reports: boolean[] = []
    const { call } = open((context) => {
      context.onAnswerWritten((isWritten) => reports.push(isWritten))
      return run()
    })
    await call()
    expect(reports).toEqual([false])
  })

  test('a listener that comes after the answer is told that nothing is written', async () => {
    const reports: boolean[] = []
    let late: CallContext | undefined
    const { call } = open((context) => {
      late = context
      return 'done'
    })
    await call()
    late?.onAnswerWritten((isWritten) => reports.push(isWritten))
    expect(reports).toEqual([false])
  })

  test('nothing is logged or reported as progress after the answer', async () => {
    let late: CallContext | undefined
    const { call, sent } = open(
      (context) => {
        late = context
        return 'done'
      },
      { logging: true },
    )
    await call({ _meta: { progressToken: 1 } })
    late?.log('error', 'late')
    late?.progress(1)
    expect(sent).toEqual([])
  })
})

describe('a call that continues as a task', () => {
  async function outcomeOf(run: (call: CallContext) => unknown) {
    const reports: boolean[] = []
    let isDeferred: unknown
    const { call, ask, errors } = open(async (context) => {
      isDeferred = await context.continueAsTask()
      context.onAnswerWritten((isWritten) => reports.push(isWritten))
      context.progress(1, {})
      return run(context)
    })
    const first = await call(modern)
    const { taskId } = resultOf(first)
    expect([first, isDeferred, reports]).toMatchObject([{ result: { resultType: 'task' } }, true, [true]])
    await vi.waitFor(async () =>
      expect(await ask('tasks/get', { taskId, ...modern })).not.toMatchObject({ result: { status: 'working' } }),
    )
    return { task: (await ask('tasks/get', { taskId, ...modern }))?.result, errors }
  }

  test('stores its result', async () => {
    expect(await outcomeOf(() => 'done')).toMatchObject({
      task: { status: 'completed', result: { content: [{ type: 'text', text: 'done' }], isError: false } },
      errors: [],
    })
  })

  test('stores a protocol error, without logging it', async () => {
    const { task, errors } = await outcomeOf(() => {
      throw new ProtocolError(-32000, 'refused')
    })
    expect(task).toMatchObject({ status: 'failed', error: { code: -32000, message: 'refused' } })
    expect(errors).toEqual([])
  })

  test('hides an unexpected error and logs it', async () => {
    const { task, errors } = await outcomeOf(() => {
      throw new Error('bug')
    })
    expect(task).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: "Internal error in tools/call; see the server's log" },
    })
    expect(errors).toHaveLength(1)
  })

  test('can be cancelled by its id, which aborts the work and logs nothing', async () => {
    let signal: AbortSignal | undefined
    const { call, ask, errors } = open(async (context) => {
      await context.continueAsTask()
      signal = context.signal
      return untilAborted(context)
    })
    const { taskId } = resultOf(await call(modern))
    await ask('tasks/cancel', { taskId, ...modern })
    await vi.waitFor(() => expect(signal?.aborted).toBe(true))
    expect(errors).toEqual([])
  })
})

describe('the abilities of a client', () => {
  async function abilities(
    revision: string,
    sinkMembers: Partial<MessageSink>,
    definition: Partial<ServerDefinition> = {},
  ) {
    let seen: CallContext['clientAbilities'] | undefined
    const { ask, call } = open(
      (context) => {
        seen = context.clientAbilities
        return ''
      },
      definition,
      {},
      sinkMembers,
    )
    const capabilities = { roots: {}, experimental: { 'claude/channel': {} } }
    if (revision === '2026-07-28') await call(modern)
    else {
      await ask('initialize', { protocolVersion: revision, capabilities })
      await call()
    }
    return Object.entries(seen ?? {}).flatMap(([name, value]) => (value ? [name] : []))
  }

  test('depend on what the connection can carry', async () => {
    expect(await abilities('2025-11-25', { onWritten: (done) => done() })).toEqual(['roots', 'push'])
    expect(await abilities('2025-11-25', {})).toEqual(['roots'])
    expect(await abilities('2025-11-25', { send: undefined })).toEqual([])
    expect(await abilities('2026-07-28', { send: undefined })).toEqual(['tasks'])
  })

  test('include tasks only if the server has them', async () => {
    let seen: CallContext['clientAbilities'] | undefined
    const tool = defineTool({
      name: 'run',
      run: (_input, context) => {
        seen = context.clientAbilities
        return ''
      },
    })
    await open(() => '', { tools: [tool] }).call(modern)
    expect(seen?.tasks).toBe(false)
  })
})

test('progress has a message since 2025-03-26', async () => {
  for (const [revision, message] of [
    ['2024-11-05', {}],
    ['2025-03-26', { message: 'half' }],
    ['2025-11-25', { message: 'half' }],
  ] as const) {
    const { ask, call, sent } = open((context) => {
      context.progress(1, { total: 2, message: 'half' })
      return ''
    })
    await ask('initialize', { protocolVersion: revision })
    await call({ _meta: { progressToken: 7 } })
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 7, progress: 1, total: 2, ...message },
      },
    ])
  }
})

test('the context of a call names the caller, publishes changes and closes the connection', async () => {
  const closed = vi.fn()
  const events: unknown[] = []
  const changeEvents = createChangeEvents()
  changeEvents.subscribe((event) => events.push(event))
  let seen: unknown
  const run = ({ user, session, notifyListChanged, notifyResourceUpdated, closeConnection }: CallContext) => {
    seen = { user, session }
    notifyListChanged('prompts')
    notifyResourceUpdated('x://a')
    closeConnection()
    return ''
  }
  await open(run, { changeEvents }, {}, { closeConnection: closed }).call()
  expect(seen).toEqual(caller)
  expect(events).toEqual([{ kind: 'prompts' }, { kind: 'resource', uri: 'x://a', user: 'ann' }])
  expect(closed).toHaveBeenCalledOnce()
  expect(await open(run).call()).toMatchObject({ result: { isError: false } })
})

test('the format of tool calls is used at 2024-11-05 only', async () => {
  const toolCallFormat = {
    formatContent: () => '"custom":true',
    readArguments: (value: unknown, declared: ReadonlySet<string>) => ({ value, declared: [...declared] }),
  }
  for (const [revision, result] of [
    ['2024-11-05', { custom: true }],
    ['2025-03-26', { content: [{ type: 'text', text: 'done' }], isError: false }],
  ] as const) {
    const { ask, call } = open(() => 'done', {}, { toolCallFormat })
    await ask('initialize', { protocolVersion: revision })
    expect(await call()).toEqual({ jsonrpc: '2.0', id: 1, result })
  }
})

test('a retried call with an invalid state is refused', async () => {
  const { call } = open(() => 'done')
  expect(await call({ requestState: 'invented', ...modern })).toMatchObject({ error: { code: INVALID_PARAMS } })
  expect(await call({ inputResponses: 5, ...modern })).toMatchObject({ error: { code: INVALID_PARAMS } })
})

test('a local caller is the user of the system, with one session', () => {
  const local = createLocalCaller()
  expect(local.user).toMatch(/./)
  expect(local.user).toBe(local.user)
  expect(local.session).toMatch(/^[0-9a-f-]{36}$/)
  expect(local.session).toBe(local.session)
  expect(createLocalCaller().session).not.toBe(local.session)
})
