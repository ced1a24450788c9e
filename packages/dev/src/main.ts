// The program `scorpiox-mcp` of the package @scorpiox/mcp: reads the arguments and runs `dev`. Built to
// dist/dev/scorpiox-mcp.mjs of that package, with the page beside it.

import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { formatErrorStack } from '@scorpiox/mcp/log'

import { runDev } from './run-dev.js'
import { CommandLineError } from './server-command.js'
import { printErrorLine, printLine } from './terminal.js'

const HELP = `scorpiox-mcp dev: run an MCP server, restart it on change, and inspect it in a browser

Usage
  scorpiox-mcp dev [options] <file.mjs|file.ts> [argument…]
  scorpiox-mcp dev [options] -- <command> [argument…]

Prints a link to a page on 127.0.0.1 that lists what the server offers, calls it with
forms made from its schemas, answers its questions, and shows every message.

Options
  --port N         port of the page (default: any free port)
  --revision DATE  protocol revision at the start (default: 2025-11-25)
  --watch PATH     file or folder to watch instead of the server's folder; can be repeated
  -h, --help       print this help

Examples
  npx scorpiox-mcp dev server.mjs
  npx scorpiox-mcp dev -- python3 server.py`

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(argv)
  const [command, ...words] = positionals
  if (values.help || command === undefined || command === 'help') {
    printLine(HELP)
    return values.help || command === 'help' ? 0 : 2
  }
  if (command !== 'dev') throw new CommandLineError(`unknown command: ${command}. The only command is dev; see --help`)
  await runDev({
    words,
    cwd: process.cwd(),
    port: values.port,
    revision: values.revision,
    watch: values.watch ?? [],
    pageFolder: join(import.meta.dirname, 'page'),
    node: process.execPath,
  })
  return 0
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        revision: { type: 'string' },
        watch: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new CommandLineError(
      `${errorMessage(error)}. Options of your server follow after --: dev -- node server.mjs --x`,
    )
  }
}

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    printErrorLine(`scorpiox-mcp: ${error instanceof Failure ? error.message : formatErrorStack(error)}`)
    process.exit(error instanceof Failure && 'exitCode' in error ? Number(error.exitCode) : 1)
  },
)
