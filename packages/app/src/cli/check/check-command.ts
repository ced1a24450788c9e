// `scorpiox-code check <url>`: tests whether a deployed MCP endpoint meets the requirements of ArmorIQ and other
// clients, and formats the results. Called by cli/commands.ts. run-checks.ts sends the HTTP requests.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { tryParseUrl } from '@scorpiox/server/text/parse-url'
import type { CommandFlags } from '../../arguments.js'
import type { CommandOutput } from '../call-command.js'
import { type CheckResult, replaceControls } from './check-result.js'
import { type CheckRequest, runChecks } from './run-checks.js'

const STATE_SYMBOLS = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const

export async function runCheckCommand(operands: readonly string[], flags: CommandFlags): Promise<CommandOutput> {
  const request = parseCheckRequest(operands, flags)
  const results = (await runChecks(request)).map((result) => withoutSecret(result, request.token))
  const url = request.url.href
  const passed = results.every(({ state }) => state !== 'failed')
  const text = flags.json
    ? `${JSON.stringify({ url, passed, verdicts: results }, null, 2)}\n`
    : formatReport(url, results)
  return { text, exitCode: passed ? 0 : 1 }
}

function parseCheckRequest([text, ...extra]: readonly string[], flags: CommandFlags): CheckRequest {
  const { token, tool, args, 'key-header': keyHeader } = flags
  if (text === undefined || extra.length > 0) {
    throw new UsageError('no endpoint given; example: scorpiox-code check https://mcp.example.com/mcp --token "$TOKEN"')
  }
  if (args !== undefined && tool === undefined)
    throw new UsageError('--args requires --tool, the tool to call with them')
  if (keyHeader !== undefined && token === undefined)
    throw new UsageError('--key-header requires --token, the key to send')
  if (keyHeader !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(keyHeader)) {
    throw new UsageError(
      `--key-header must be the name of a header, such as X-API-Key, got ${JSON.stringify(keyHeader)}`,
    )
  }
  if (token !== undefined && !/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(token)) {
    throw new UsageError('--token must be printable ASCII; check it for a newline')
  }
  return { url: parseAddress(text), token, keyHeader, tool, args: args === undefined ? undefined : parseArgsFlag(args) }
}

function parseAddress(text: string): URL {
  const url = tryParseUrl(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new UsageError(`the endpoint must be an address such as https://mcp.example.com/mcp, got ${text}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the address contains credentials; pass them with --token instead')
  }
  return url
}

function parseArgsFlag(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new UsageError(`--args is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
  throw new UsageError('--args must be a JSON object')
}

/** The response of a server may contain the token it received. */
function withoutSecret(result: CheckResult, token: string | undefined): CheckResult {
  if (token === undefined) return result
  return { ...result, seen: result.seen.replaceAll(token, '****') }
}

function formatReport(url: string, results: readonly CheckResult[]): string {
  const lines = results.map(
    ({ name, state, seen, fix }) =>
      `${STATE_SYMBOLS[state]} ${name}: ${seen}\n${fix === undefined ? '' : `  → ${fix.replaceAll('\n', '\n    ')}\n`}`,
  )
  const counts = Object.keys(STATE_SYMBOLS).map(
    (state) => `${results.filter((each) => each.state === state).length} ${state}`,
  )
  return replaceControls(`${url}\n${lines.join('')}${counts.join(', ')}\n`)
}
