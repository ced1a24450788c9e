import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { type BrowserSession, openBrowserLogins } from './browser-logins.js'

const ORIGIN = 'http://127.0.0.1:4000'
const HOUR_MS = 3_600_000

function openLogins() {
  const folder = mkdtempSync(join(tmpdir(), 'browser-logins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'logins.json')
  const clock = { time: 1_000_000_000, onRead: (): void => undefined }
  const warnings: string[] = []
  const ignore = (): void => undefined
  const log = { debug: ignore, info: ignore, warn: (text: string) => void warnings.push(text), error: ignore }
  const logins = openBrowserLogins(path, log, () => {
    clock.onRead()
    return clock.time
  })
  const session = logins.open('me')
  session.setPort(4000)
  return { path, clock, warnings, session }
}

function addTab(session: BrowserSession, openedBy?: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')
  const id = session.remember(spki, ORIGIN, openedBy) ?? ''
  return { id, credentialId: `browser:${id.slice(0, 8)}`, credential: signRun(id, privateKey, session.run) }
}

function signRun(id: string, key: KeyObject, run: string): string {
  const text = Buffer.from(`scorpiox-code ui\n${run}\n${ORIGIN}`)
  return `browser.${id}.${run}.${sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const storedTabs = (path: string): { usedAt: number }[] => JSON.parse(readFileSync(path, 'utf8')).browsers

test('the time of use is written at most once an hour', () => {
  const { path, clock, session } = openLogins()
  const start = clock.time
  const tab = addTab(session)
  clock.time += HOUR_MS
  expect(session.find(tab.credential)).toMatchObject({ user: 'me' })
  expect(storedTabs(path)[0]?.usedAt).toBe(start)
  clock.time += 1
  expect(session.find(tab.credential)).toMatchObject({ user: 'me' })
  expect(storedTabs(path)[0]?.usedAt).toBe(clock.time)
})

test('a login that another process revokes while its time of use is written stays revoked', () => {
  const { path, clock, session } = openLogins()
  const tab = addTab(session)
  clock.time += 2 * HOUR_MS
  let calls = 0
  clock.onRead = () => {
    // The first is the check whether the login is too old.
    if (++calls === 2) writeFileSync(path, JSON.stringify({ version: 2, ports: [], browsers: [] }))
  }
  void session.find(tab.credential)
  expect(calls).toBeGreaterThan(2)
  expect(storedTabs(path)).toEqual([])
  expect(session.find(tab.credential)).toBeUndefined()
})

test('a login is accepted while its time of use cannot be written, which is logged once', () => {
  const { path, clock, warnings, session } = openLogins()
  const tab = addTab(session)
  clock.time += 2 * HOUR_MS
  writeFileSync(`${path}.lock`, 'another process')
  expect(session.find(tab.credential)).toMatchObject({ user: 'me' })
  expect(session.find(tab.credential)).toMatchObject({ user: 'me' })
  expect(warnings).toEqual([expect.stringContaining('cannot store when a browser was used')])
})

test('a tab that has the credential of another one logs out with it, and is not added once that is logged out', () => {
  const { path, session } = openLogins()
  const [first, other] = [addTab(session), addTab(session)]
  const second = addTab(session, first.credentialId)
  const third = addTab(session, second.credentialId)
  session.forget(second.id)
  expect([first, second, third].map(({ credential: each }) => session.find(each))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(session.find(other.credential)).toMatchObject({ user: 'me' })
  expect(addTab(session, third.credentialId).id).toBe('')
  expect(addTab(session, 'HTTP_TOKEN').id).toBe('')
  expect(storedTabs(path)).toHaveLength(1)
})
