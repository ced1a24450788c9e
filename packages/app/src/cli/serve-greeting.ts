// Formats the text that `serve --http` (serve-http.ts) prints when it listens: first the address and the token, then,
// when the sandbox is known, how to connect each client. Pure.

import type { SandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import { wrapText } from '@scorpiox/server/terminal/text-layout'
import { formatHttpGuide, formatStdioGuide, type LaunchCommand } from '../program-info.js'

export interface ServeGreeting {
  /** The endpoint on this machine. */
  readonly localUrl: string
  /** The endpoint that clients use. */
  readonly publicUrl: string
  readonly requiresToken: boolean
  /** The credential of the console if authentication is off. */
  readonly consoleKey: string | undefined
  /** The token created by this start. Others are stored as hashes and cannot be shown. */
  readonly newToken: string | undefined
  readonly launch: LaunchCommand
  /** The command that starts this program. */
  readonly program: string
  readonly columns: number | undefined
}

/** Where the server is and what it requires. */
export function formatServeAddress(greeting: ServeGreeting): string {
  const { localUrl, publicUrl, columns } = greeting
  const other = publicUrl === localUrl ? '' : ` (public address: ${publicUrl})`
  const lines = [`\nscorpiox-code serves MCP at ${localUrl}${other}`, tokenText(greeting), consoleText(greeting)]
  return wrapText(`${lines.join('\n')}\n`, columns)
}

/** What commands may do, and how to connect clients. */
export function formatServeGuide(greeting: ServeGreeting, sandbox: SandboxLevel): string {
  const { localUrl, publicUrl, requiresToken, newToken, launch, columns } = greeting
  const token = requiresToken ? (newToken ?? '<token>') : undefined
  const header = token === undefined ? '' : ` -H 'Authorization: Bearer ${token}'`
  const prose = (text: string): string => wrapText(`${text}\n`, columns)
  // Commands and configuration are not wrapped, so that they can be copied.
  return [
    prose(`${sandboxText(sandbox)}\n`),
    prose('Test it:'),
    `  curl -s ${localUrl} -H 'Content-Type: application/json'${header} -d '${LIST_TOOLS}'\n\n`,
    prose('To connect a client to this server:\n'),
    formatHttpGuide({ url: publicUrl, token }),
    prose('Claude Desktop only supports servers that it starts itself: see below.\n'),
    prose('Or let the client start the program over stdio; no server has to keep running then:\n'),
    formatStdioGuide(launch),
    prose('\nStop with Ctrl+C.'),
  ].join('')
}

const LIST_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

function consoleText({ localUrl, consoleKey }: ServeGreeting): string {
  const address = localUrl.replace(/mcp$/, '')
  if (consoleKey === undefined) return `Console: open ${address} in a browser.`
  return `Console: open ${address}#key=${consoleKey} in a browser. Anyone with this link can open it.`
}

function tokenText({ requiresToken, newToken, program }: ServeGreeting): string {
  const create = `${program} token create`
  if (!requiresToken) {
    return 'Authentication is off: any program and any user of this machine can run commands as you.'
  }
  if (newToken !== undefined) return `Token, shown only this time (to create others: ${create}):\n  ${newToken}`
  return `Authentication required. Replace <token> below with one of your tokens, or create one: ${create}`
}

function sandboxText(level: SandboxLevel): string {
  if (level === 'off') return 'Commands run without a sandbox: callers can do everything that you can do.'
  return `Commands run in the sandbox (${level}).`
}
