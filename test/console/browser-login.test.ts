// Attempts to use the login of a browser at another time or place, beside one that is legitimate.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { CURRENT_USER, type Machine, newMachine, startUi } from '../support/console-client.js'
import { type HttpServer, sendRequest, tokenFor } from '../support/http-client.js'

interface Key {
  readonly privateKey: KeyObject
  readonly publicKey: string
}

let machine: Machine
let ui: HttpServer

beforeAll(async () => {
  machine = newMachine()
  ui = await startUi(machine)
})

afterAll(async () => {
  await ui?.stop()
})

function newKey(namedCurve = 'P-256'): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url') }
}

const originOf = ({ port }: HttpServer, host = '127.0.0.1'): string => `http://${host}:${port}`

async function remember(server: HttpServer, key: Key, token: string, headers: Record<string, string> = {}) {
  return sendRequest(server, {
    path: '/board/remember',
    token,
    headers: { 'content-type': 'application/json', origin: originOf(server), ...headers },
    body: JSON.stringify({ publicKey: key.publicKey }),
  })
}

async function readRun(server: HttpServer): Promise<string> {
  return JSON.parse((await sendRequest(server, { method: 'GET', path: '/login.json' })).text).run
}

function credential(id: string, { privateKey }: Key, run: string, origin: string): string {
  const text = Buffer.from(`scorpiox-code ui\n${run}\n${origin}`)
  const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `browser.${id}.${run}.${signature.toString('base64url')}`
}

/** The status of an action that needs a login and does nothing; 400: logged in. */
async function tryAction(server: HttpServer, token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', origin: originOf(server) }
  return (await sendRequest(server, { path: '/board/kill', token, headers, body: '{}' })).status
}

describe('the login of a browser', () => {
  const key = newKey()
  let id = ''

  beforeAll(async () => {
    id = JSON.parse((await remember(ui, key, ui.token)).text).id
  })

  test('is valid for the run and the origin that it has signed', async () => {
    const run = await readRun(ui)
    expect(await tryAction(ui, credential(id, key, run, originOf(ui)))).toBe(400)
    expect(await tryAction(ui, credential(id, key, run, originOf(ui, 'localhost')))).toBe(401)
    expect(await tryAction(ui, credential(id, key, run, 'http://127.0.0.1:1'))).toBe(401)
    expect(await tryAction(ui, credential(id, newKey(), run, originOf(ui)))).toBe(401)
    expect(await tryAction(ui, credential('0'.repeat(32), key, run, originOf(ui)))).toBe(401)
    // A number that a program on the port has made up, while `ui` did not run.
    expect(await tryAction(ui, credential(id, key, 'A'.repeat(43), originOf(ui)))).toBe(401)
  })

  test('is of no use at another console of the same user, and ends with its run', async () => {
    const other = await startUi(machine)
    expect(other.port).not.toBe(ui.port)
    expect(await tryAction(other, credential(id, key, await readRun(other), originOf(other)))).toBe(401)
    expect(await tryAction(other, credential(id, key, await readRun(other), originOf(ui)))).toBe(401)
    await other.stop()
    const old = credential(id, key, await readRun(ui), originOf(ui))
    const { port } = ui
    await ui.stop()
    ui = await startUi(machine)
    expect(ui.port).toBe(port)
    expect(await tryAction(ui, old)).toBe(401)
    expect(await tryAction(ui, credential(id, key, await readRun(ui), originOf(ui)))).toBe(400)
  })

  test('is given for the link only, not for a token, which can be revoked, and not to another origin', async () => {
    const token = tokenFor(CURRENT_USER, { HOME: machine.home })
    expect(await tryAction(ui, token)).toBe(400)
    expect(JSON.parse((await remember(ui, newKey(), token)).text)).toEqual({ id: null })
    expect((await remember(ui, newKey(), 'wrong')).status).toBe(401)
    expect((await remember(ui, newKey(), ui.token, { origin: 'http://127.0.0.1:1' })).status).toBe(403)
    expect((await remember(ui, newKey(), ui.token, { origin: 'https://example.com' })).status).toBe(403)
    expect((await remember(ui, newKey('P-384'), ui.token)).status).toBe(409)
    expect((await remember(ui, { ...newKey(), publicKey: 'nonsense' }, ui.token)).status).toBe(409)
  })

  test('is given to another tab that has logged in with it, and both log out together', async () => {
    const run = await readRun(ui)
    const [first, second] = [newKey(), newKey()]
    const firstId = JSON.parse((await remember(ui, first, ui.token)).text).id
    const firstLogin = credential(firstId, first, run, originOf(ui))
    const secondId = JSON.parse((await remember(ui, second, firstLogin)).text).id
    const secondLogin = credential(secondId, second, run, originOf(ui))
    expect(await tryAction(ui, secondLogin)).toBe(400)
    const headers = { 'content-type': 'application/json', origin: originOf(ui) }
    const body = JSON.stringify({ id: secondId })
    expect((await sendRequest(ui, { path: '/board/forget', token: ui.token, headers, body })).status).toBe(200)
    expect([await tryAction(ui, firstLogin), await tryAction(ui, secondLogin)]).toEqual([401, 401])
  })

  test('ends in a running console when another one is started with --new-key', async () => {
    const valid = credential(id, key, await readRun(ui), originOf(ui))
    expect(await tryAction(ui, valid)).toBe(400)
    await (await startUi(machine, {}, ['--new-key'])).stop()
    expect(await tryAction(ui, valid)).toBe(401)
  })
})

test('what cannot be stored is logged, not sent, with the headers of every answer', async () => {
  const own = newMachine()
  const server = await startUi(own)
  // Cannot be replaced by a file.
  const file = join(own.stateDir, 'console-browsers.json')
  rmSync(file, { force: true })
  mkdirSync(join(file, 'folder'), { recursive: true })
  const { status, text, headers } = await remember(server, newKey(), server.token)
  expect([status, text]).toEqual([500, '{"error":"Internal error; see the server\'s log"}'])
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
  await server.stop()
})

test('at most 100 tabs are remembered: the ones that were used last', async () => {
  const keys = Array.from({ length: 102 }, () => newKey())
  const ids: string[] = []
  for (const key of keys) ids.push(JSON.parse((await remember(ui, key, ui.token)).text).id)
  const run = await readRun(ui)
  const statuses: number[] = []
  for (const [index, key] of keys.entries()) {
    statuses.push(await tryAction(ui, credential(ids[index] ?? '', key, run, originOf(ui))))
  }
  expect(statuses.filter((status) => status === 400)).toHaveLength(100)
  expect(statuses.at(-1)).toBe(400)
})
