// Commands ask for passwords through a client that can show the user an address (URL mode), where no page or inbox is
// open: a form on this machine that works once, or over the network the console, where the user logs in.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, describe, expect, test } from 'vitest'

import {
  call,
  emptyFolder,
  type Json,
  modernMeta,
  readJob,
  startJob,
  startServer,
  type TestClient,
  toolResultOf,
} from '../support/client.js'
import { sendCommand, watchConsole } from '../support/console-client.js'
import { callOf, rpc, sendRequest, startProgram, stream } from '../support/http-client.js'
import { closing, findFilesWith, LINUX } from './support.js'

afterAll(() => Promise.all(closing.map((close) => close())))

const URL_MODE = { elicitation: { url: {} } }
const ASK = 'p=$("$SUDO_ASKPASS" "Password of Ann:"); echo "exit $?, got $p, ${#p} characters"'

async function open(capabilities: object = URL_MODE, env: NodeJS.ProcessEnv = {}) {
  const home = emptyFolder()
  const client = startServer({ cwd: emptyFolder(), env: { HOME: home, ASK_WAIT: '60', ...env } })
  closing.push(() => client.close())
  await client.initialize('2025-11-25', capabilities)
  return { client, home }
}

const isQuestion = ({ method, id }: Json): boolean => method === 'elicitation/create' && id !== undefined

async function nextQuestion(client: TestClient, count = 1): Promise<Json> {
  await client.waitFor((message: Json) => isQuestion(message) && client.received.filter(isQuestion).length >= count)
  return client.received.filter(isQuestion)[count - 1]
}

const reply = (client: TestClient, { id }: Json, action: string): void =>
  client.send({ jsonrpc: '2.0', id, result: { action } })

async function submit(url: string, fields: Record<string, string>): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
  return { status: response.status, text: await response.text() }
}

describe('a client that shows addresses', LINUX, () => {
  test('gets that of a masked form, which works once', async () => {
    const { client, home } = await open()
    const result = call(client, 'Bash', { command: `echo '<b>'; ${ASK}` })
    const question = await nextQuestion(client)
    expect(question.params).toMatchObject({ mode: 'url', elicitationId: expect.any(String) })
    expect(question.params.message).toMatch(/asks for a password[^]*echo '<b>'[^]*Password of Ann:/)
    const { url } = question.params
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/)
    reply(client, question, 'accept')
    const page = await fetch(url)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    expect(html).toContain('type="password"')
    expect(html).toContain('echo &#39;&#60;b&#62;&#39;')
    // Nothing is sent by a wrong key, a wrong value, or by looking.
    expect((await submit(`${url}x`, { value: 'wrong' })).status).toBe(410)
    expect(await submit(url, { value: 'two\nlines' })).toMatchObject({ status: 400 })
    expect(await submit(url, { value: 'hunter22 & more' })).toMatchObject({ status: 200 })
    expect((await result).text).toContain('exit 0, got [secret], 15 characters')
    expect(await submit(url, { value: 'again' })).toMatchObject({ status: 410 })
    expect((await fetch(url)).status).toBe(410)
    expect(JSON.stringify(client.received) + client.stderr()).not.toContain('hunter22')
    expect(findFilesWith(['hunter22 & more'], home)).toEqual([])
  })

  test('is asked while it reads a task, and can refuse', async () => {
    const { client } = await open()
    const id = await startJob(client, `read -r; ${ASK}; ${ASK}`)
    const reading = readJob(client, id, { input: 'go\n', wait_for_end: true })
    const question = await nextQuestion(client)
    reply(client, question, 'decline')
    const { text } = await reading
    // The second question is refused without asking.
    expect(text.match(/The user refused to enter the password/g)).toHaveLength(2)
    expect(client.received.filter(isQuestion)).toHaveLength(1)
    expect((await fetch(question.params.url)).status).toBe(410)
  })

  test('the form can refuse, and another host name is refused', async () => {
    const { client } = await open()
    const result = call(client, 'Bash', { command: ASK })
    const question = await nextQuestion(client)
    reply(client, question, 'accept')
    const other = question.params.url.replace('127.0.0.1', 'localhost')
    expect((await fetch(other)).status).toBe(403)
    expect(await submit(question.params.url, { value: 'x', refuse: '1' })).toMatchObject({ status: 200 })
    expect((await result).text).toContain('The user refused to enter the password.')
  })

  test('a browser that leaves in the middle of a request changes nothing', async () => {
    const { client } = await open()
    const result = call(client, 'Bash', { command: ASK })
    const question = await nextQuestion(client)
    reply(client, question, 'accept')
    const { port, host, pathname } = new URL(question.params.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\nvalue=half`)
    await sleep(200)
    socket.destroy()
    await sleep(200)
    expect(await submit(question.params.url, { value: 'whole' })).toMatchObject({ status: 200 })
    expect((await result).text).toContain('exit 0, got [secret], 5 characters')
    expect(client.stderr()).toBe('')
  })

  test('the question ends with its command', async () => {
    const { client } = await open()
    const result = call(client, 'Bash', { command: `timeout 2 "$SUDO_ASKPASS" Password:; echo over` })
    const question = await nextQuestion(client)
    reply(client, question, 'accept')
    expect((await result).text).toContain('over')
    expect((await fetch(question.params.url)).status).toBe(410)
  })
})

describe('over HTTP', LINUX, () => {
  async function openHttp(env: NodeJS.ProcessEnv) {
    const server = await startProgram({ cwd: emptyFolder(), env: { HOME: emptyFolder(), ...env } })
    closing.push(() => server.stop())
    const clientInfo = { name: 'test', version: '0' }
    const hello = rpc('initialize', { protocolVersion: '2025-11-25', capabilities: URL_MODE, clientInfo })
    const { headers } = await sendRequest(server, { body: hello })
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    const answering = await stream(server, { headers: session, body: callOf('Bash', { command: ASK }, 7) })
    const question = await answering.message()
    expect(question).toMatchObject({ method: 'elicitation/create', params: { mode: 'url' } })
    const accepted = rpc('none', undefined, question.id).replace(/"method":"none"/, '"result":{"action":"accept"}')
    expect((await sendRequest(server, { headers: session, body: accepted })).status).toBe(202)
    return { server, url: String(question.params.url), result: () => answering.message() }
  }

  test('on this machine it is the form that works once', async () => {
    const { url, result } = await openHttp({})
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/)
    expect(await submit(url, { value: 'hunter22' })).toMatchObject({ status: 200 })
    expect((await result()).result.content[0].text).toContain('exit 0, got [secret], 8 characters')
  })

  test('with a public address it is the console, where the user logs in', async () => {
    const { server, url, result } = await openHttp({ PUBLIC_URL: 'http://mcp.example.test' })
    expect(url).toBe('http://mcp.example.test/')
    const watched = await watchConsole(server)
    await watched.until(({ secrets }) => secrets.length === 1)
    const [secret] = watched.view().secrets
    const value = 'hunter22'
    expect(await sendCommand(server, 'secret', { server: secret?.server, id: secret?.id, value })).toMatchObject({
      status: 204,
    })
    expect((await result()).result.content[0].text).toContain('exit 0, got [secret], 8 characters')
  })
})

describe('no address is shown', LINUX, () => {
  test.each([
    ['to a client without that mode', { elicitation: { form: {} } }, '2025-11-25'],
    ['at an older revision', URL_MODE, '2025-06-18'],
  ])('%s', async (_, capabilities, revision) => {
    const client = startServer({ cwd: emptyFolder(), env: { HOME: emptyFolder() } })
    closing.push(() => client.close())
    await client.initialize(revision, capabilities)
    expect((await call(client, 'Bash', { command: ASK })).text).toContain('Could not ask for the password')
    expect(client.received.filter(isQuestion)).toEqual([])
  })

  test('where the call would have to start again with the answer', async () => {
    const client = startServer({ cwd: emptyFolder(), env: { HOME: emptyFolder() } })
    closing.push(() => client.close())
    const meta = modernMeta({ 'io.modelcontextprotocol/clientCapabilities': URL_MODE })
    const params = { name: 'Bash', arguments: { command: `echo ran >>ran; ${ASK}; wc -l <ran` }, ...meta }
    const { text } = toolResultOf(await client.request('tools/call', params))
    expect(text).toMatch(/Could not ask[^]*\n1\n$/)
  })
})
