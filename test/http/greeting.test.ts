// The output of `serve --http` is enough to connect: each printed configuration is used unchanged.

import { parse as parseToml } from 'smol-toml'
import { afterAll, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'

import { type HttpServer, startProgram } from '../support/http-client.js'

interface Connection {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const started: HttpServer[] = []
afterAll(() => Promise.all(started.map((server) => server.stop())))

async function start(...flags: readonly string[]): Promise<HttpServer> {
  const server = await startProgram({ flags, env: { HTTP_TOKEN: '' } })
  started.push(server)
  return server
}

/** The lines below a heading, up to the next line that is not indented. */
function below(greeting: string, heading: string): string {
  const from = greeting.indexOf(`\n${heading}`)
  const [, text = ''] = /^.*\n((?: {2}.*\n)+)/.exec(greeting.slice(from + 1)) ?? []
  return text.replaceAll(/^ {2}/gm, '').trim()
}

function connections(greeting: string): ReadonlyMap<string, Connection> {
  const json = (heading: string, ...path: readonly string[]): Connection => {
    const entry = path.reduce((value, key) => value[key], JSON.parse(below(greeting, heading)))
    return { url: entry.url, headers: entry.headers ?? {} }
  }
  const command = (heading: string): Connection => {
    const line = below(greeting, heading)
    const [, name, value] = /--header "([^:]+): ([^"]+)"/.exec(line) ?? []
    const headers = name === undefined || value === undefined ? {} : { [name]: value }
    return { url: /http:\S+/.exec(line)?.[0] ?? '', headers }
  }
  const toml = parseToml(below(greeting, 'Codex')) as unknown as {
    mcp_servers: { scorpiox: { url: string; http_headers?: Record<string, string> } }
  }
  const { url, http_headers: headers = {} } = toml.mcp_servers.scorpiox
  const yaml: {
    mcpServers: readonly { url: string; requestOptions?: { headers: Record<string, string> } }[]
  } = parseYaml(below(greeting, 'Continue CLI'))
  const [server = { url: '' }] = yaml.mcpServers
  return new Map([
    ['Claude Code', command('Claude Code')],
    ['Cursor', json('Cursor (', 'mcpServers', 'scorpiox')],
    ['VS Code', json('VS Code (', 'servers', 'scorpiox')],
    ['Codex', { url, headers }],
    ['Gemini CLI', command('Gemini CLI')],
    ['opencode', json('opencode (', 'mcp', 'scorpiox')],
    ['Copilot CLI', json('Copilot CLI (', 'mcpServers', 'scorpiox')],
    ['Cline CLI', json('Cline CLI (', 'mcpServers', 'scorpiox')],
    ['Continue CLI', { url: server.url, headers: server.requestOptions?.headers ?? {} }],
  ])
}

async function statusOf({ url, headers }: Connection): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }
  return (await fetch(url, request)).status
}

test('the configuration for each client connects to the server that printed it, with its token', async () => {
  const { greeting } = await start()
  const statuses = [...connections(greeting)].map(async ([client, to]) => [client, await statusOf(to)])
  expect(await Promise.all(statuses)).toEqual(
    [
      'Claude Code',
      'Cursor',
      'VS Code',
      'Codex',
      'Gemini CLI',
      'opencode',
      'Copilot CLI',
      'Cline CLI',
      'Continue CLI',
    ].map((client) => [client, 200]),
  )
  for (const { headers } of connections(greeting).values()) expect(headers.Authorization).toMatch(/^Bearer sxc_/)
  expect(greeting).toContain('claude mcp add scorpiox -- ')
  expect(greeting).toContain('Claude Desktop (claude_desktop_config.json)')
  expect(greeting.split('\n').length).toBeLessThanOrEqual(60)
})

test('where no token is required, none is printed', async () => {
  const { greeting } = await start('--no-auth')
  expect(greeting).not.toContain('Authorization')
  for (const to of connections(greeting).values()) expect(await statusOf(to)).toBe(200)
})
