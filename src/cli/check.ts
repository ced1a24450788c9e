// `scorpiox-code check <url>`: says whether a deployed MCP endpoint, ours or anybody's, is what ArmorIQ and others ask for.

import { isObject, type JsonObject } from '../lib/json.js'
import type { Flags } from './args.js'
import type { Said } from './call.js'
import { examine, type Examination } from './check/examine.js'
import { visible, type Verdict } from './check/verdict.js'
import { UsageError } from './usage-error.js'

const SIGNS = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const

export async function checkFromTerminal(operands: readonly string[], flags: Flags): Promise<Said> {
  const examination = readExamination(operands, flags)
  const verdicts = (await examine(examination)).map((verdict) => withoutSecret(verdict, examination.token))
  const url = examination.url.href
  const passed = verdicts.every(({ state }) => state !== 'failed')
  const text = flags.json ? `${JSON.stringify({ url, passed, verdicts }, null, 2)}\n` : report(url, verdicts)
  return { text, exitCode: passed ? 0 : 1 }
}

function readExamination([address, ...more]: readonly string[], flags: Flags): Examination {
  const { token, tool, args, 'key-header': keyHeader } = flags
  if (address === undefined || more.length > 0) {
    throw new UsageError('which endpoint? e.g. scorpiox-code check https://mcp.example.com/mcp --token "$TOKEN"')
  }
  if (args !== undefined && tool === undefined) throw new UsageError('--args needs --tool: say which tool they are for')
  if (keyHeader !== undefined && token === undefined)
    throw new UsageError('--key-header needs --token: the key to send')
  if (keyHeader !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(keyHeader)) {
    throw new UsageError(
      `--key-header must be the name of a header, such as X-API-Key, got ${JSON.stringify(keyHeader)}`,
    )
  }
  if (token !== undefined && !/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(token)) {
    throw new UsageError('--token must be printable ASCII; is there a newline in it?')
  }
  return { url: readAddress(address), token, keyHeader, tool, args: args === undefined ? undefined : readArgs(args) }
}

function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new UsageError(`the endpoint must be an address such as https://mcp.example.com/mcp, got ${address}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the address holds credentials; give them with --token, they do not belong into addresses')
  }
  return url
}

function readArgs(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    throw new UsageError(`--args is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
  throw new UsageError('--args must be a JSON object')
}

/** A server may repeat what it was sent. */
function withoutSecret(verdict: Verdict, token: string | undefined): Verdict {
  if (token === undefined) return verdict
  return { ...verdict, seen: verdict.seen.replaceAll(token, '****') }
}

function report(url: string, verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(
    ({ name, state, seen, fix }) =>
      `${SIGNS[state]} ${name}: ${seen}\n${fix === undefined ? '' : `  → ${fix.replaceAll('\n', '\n    ')}\n`}`,
  )
  const counts = Object.keys(SIGNS).map((state) => `${verdicts.filter((each) => each.state === state).length} ${state}`)
  return visible(`${url}\n${lines.join('')}${counts.join(', ')}\n`)
}
