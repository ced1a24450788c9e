// The command `dev` without a browser: which servers it starts, what it refuses, and that nothing is left of it.

import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { childrenOf, HAS_PROC, isAlive, type Json, PROGRAM, readPid, waitForExit } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { onClose } from '../support/on-close.js'
import { canRun, requires } from '../support/requirements.js'
import { type DevSetup, LIBRARY_PROGRAM, type RunningDev, serverWithTool, startDev } from './support.js'

const PYTHON = { isMet: canRun('python3'), reason: 'python3 is not installed' }
const PROC = { isMet: HAS_PROC, reason: 'children are found in /proc' }

async function start(setup: DevSetup): Promise<RunningDev> {
  const dev = await startDev(setup)
  onClose(() => dev.stop())
  return dev
}

async function waitForOutput(dev: RunningDev, text: string): Promise<string> {
  return eventually(
    () => dev.output(),
    (output) => output.includes(text),
  )
}

async function listTools(dev: RunningDev): Promise<unknown> {
  const response = await dev.post('/api/request', { callId: 'x', method: 'tools/list', params: {} })
  const { result }: Json = await response.json()
  return result?.tools?.map(({ name }: Json) => name)
}

describe.concurrent.each([
  ['of the library package', LIBRARY_PROGRAM],
  ['of scorpiox-code', PROGRAM],
])('the program %s', (_, program) => {
  test('starts a server, restarts it when a file that it imports changes, and ends it', async () => {
    const dev = await start({
      program,
      args: ['server.mjs', '--port', '0'],
      files: { 'server.mjs': serverWithTool('first', "import './part.mjs'"), 'part.mjs': '' },
    })
    await waitForOutput(dev, 'It offers 1 tool.')
    expect(await listTools(dev)).toEqual(['first'])
    writeFileSync(join(dev.folder, 'part.mjs'), 'export const changed = 1')
    await waitForOutput(dev, 'part.mjs changed: restarting')
    dev.write('server.mjs', serverWithTool('second'))
    await eventually(
      () => listTools(dev),
      (names) => JSON.stringify(names) === '["second"]',
    )
    expect(await dev.stop()).toBe(0)
  })
})

describe.concurrent('the command', () => {
  test('leaves nothing running, also not what the server has started', requires(PROC), async () => {
    const pidFile = (folder: string): string => join(folder, 'sleeper')
    const spawning = `import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
writeFileSync('sleeper', spawn('sleep', ['600']).pid + '\\n')
process.on('SIGTERM', () => {})`
    const dev = await start({
      files: { 'server.mjs': serverWithTool('first', spawning) },
      args: ['server.mjs', '--watch', 'server.mjs'],
    })
    await waitForOutput(dev, 'It offers 1 tool.')
    const [server] = childrenOf(dev.child.pid)
    const sleeper = await readPid(pidFile(dev.folder))
    expect([server ?? 0, sleeper].map(isAlive)).toEqual([true, true])
    expect(await dev.stop()).toBe(0)
    await waitForExit(server ?? 0, sleeper)
  })

  test('starts any command', requires(PYTHON), async () => {
    const server = `import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "snake", "version": "3"}}
    elif message.get("method") == "tools/list":
        result = {"tools": [{"name": "hiss", "inputSchema": {"type": "object"}}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
`
    const dev = await start({ files: { 'server.py': server }, args: ['--', 'python3', 'server.py'] })
    await waitForOutput(dev, 'snake 3 is ready, revision 2025-06-18')
    expect(await listTools(dev)).toEqual(['hiss'])
    dev.write('server.py', server.replace('"hiss"', '"bite"'))
    await eventually(
      () => listTools(dev),
      (names) => JSON.stringify(names) === '["bite"]',
    )
  })

  test('says which line is no message, and that the server does not speak the revision', async () => {
    const dev = await start({
      files: { 'server.mjs': "console.log('hello')\nprocess.stdin.resume()" },
      args: ['server.mjs', '--revision', '2026-07-28'],
    })
    await waitForOutput(dev, 'Not a message: hello. stdout belongs to the protocol')
    dev.write(
      'server.mjs',
      `process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}'))`,
    )
    await waitForOutput(dev, 'does not support 2026-07-28; choose an older revision. It answered: what?')
  })

  test('a file that the server writes at each start does not restart it for ever', async () => {
    const writing = "import { writeFileSync } from 'node:fs'\nwriteFileSync('data.json', String(Math.random()))"
    const dev = await start({ files: { 'server.mjs': serverWithTool('first', writing) } })
    await waitForOutput(dev, 'data.json changes with every start')
    await eventually(
      () => listTools(dev),
      (names) => JSON.stringify(names) === '["first"]',
    )
  })

  test.each([
    [[], 'Name the file of your server'],
    [['missing.mjs'], 'There is no file'],
    [['server.txt'], 'neither JavaScript nor TypeScript'],
    [['server.mjs', '--port', 'x'], '--port must be a number'],
    [['server.mjs', '--revision', '2020-01-01'], '--revision must be one of 2026-07-28, 2025-11-25'],
    [['server.mjs', '--loud'], 'Options of your server follow after --'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const dev = await start({ files: { 'server.mjs': '', 'server.txt': '' }, args })
    await waitForOutput(dev, sentence)
    await eventually(
      () => dev.child.exitCode,
      (code) => code === 2,
    )
  })

  test('a command that does not exist is a problem that is shown', async () => {
    const dev = await start({ files: {}, args: ['--', 'no-such-program'] })
    await waitForOutput(dev, 'The server could not be started: spawn no-such-program ENOENT')
  })
})

describe.concurrent('the port of the page', () => {
  test('refuses other hosts, other origins and requests without the key', async () => {
    const dev = await start({ files: { 'server.mjs': serverWithTool('first') } })
    await waitForOutput(dev, 'It offers 1 tool.')
    const { hostname, port } = new URL(dev.origin)
    const authorization = `Bearer ${dev.key}`
    const ask = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((done, fail) => {
        const request = httpRequest({ hostname, port, path, headers }, (response) => {
          response.destroy()
          done(response.statusCode)
        })
        request.on('error', fail)
        request.end()
      })
    expect(await ask('/', {})).toBe(200)
    expect(await ask('/', { host: 'evil.example' })).toBe(403)
    expect(await ask('/', { host: `evil.example:${port}` })).toBe(403)
    expect(await ask('/api/events', { authorization })).toBe(200)
    expect(await ask('/api/events', { authorization, origin: dev.origin })).toBe(200)
    expect(await ask('/api/events', { authorization, origin: 'http://evil.example' })).toBe(403)
    expect(await ask('/api/events', { authorization, origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await ask('/api/events', { authorization, origin: 'null' })).toBe(403)
    expect(await ask('/api/events', {})).toBe(401)
    expect(await ask('/api/events', { authorization: 'Bearer x' })).toBe(401)
    expect(await ask('/api/restart', { authorization })).toBe(405)
    expect(await ask('/../../package.json', { authorization })).toBe(404)
    const page = await fetch(dev.origin)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
    expect((await dev.post('/api/answer', { id: 'x' })).status).toBe(400)
  })

  test('sends the last 1,000 messages to a page that is opened, long ones cut', async () => {
    const dev = await start({ files: { 'server.mjs': serverWithTool('first') } })
    await waitForOutput(dev, 'It offers 1 tool.')
    const ping = async (params: object): Promise<void> => {
      const { status } = await dev.post('/api/request', { callId: 'x', method: 'ping', params })
      expect(status).toBe(200)
    }
    for (let round = 0; round < 13; round++) await Promise.all(Array.from({ length: 40 }, () => ping({})))
    await ping({ filler: 'x'.repeat(100_000) })
    const leave = new AbortController()
    const stream = await fetch(`${dev.origin}/api/events`, {
      headers: { authorization: `Bearer ${dev.key}` },
      signal: leave.signal,
    })
    let text = ''
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('"type":"output"') && text.endsWith('\n')) break
    }
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { entries } = events.find(({ type }) => type === 'wire')
    expect(entries).toHaveLength(1000)
    expect(Math.max(...entries.map((entry: { readonly text: string }) => entry.text.length))).toBe(32 * 1024)
    expect(entries.some(({ bytes }: { readonly bytes: number }) => bytes > 100_000)).toBe(true)
  })
})

test('TypeScript is run, or the command says what is missing', async () => {
  const dev = await start({
    files: { 'server.ts': serverWithTool('typed', 'const count: number = 1\nvoid count') },
    args: ['server.ts'],
  })
  await eventually(
    () => dev.output(),
    (output) => /It offers 1 tool\.|Use Node\.js 22\.18 or newer, or install tsx/.test(output),
  )
})
