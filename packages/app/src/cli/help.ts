// Text of `--help`: an overview of all commands, or the full help of one.

import { formatDefinitions, formatUsage, wrapText } from '@scorpiox/server/terminal/text-layout'
import { VERSION } from '@scorpiox/server/util/version'
import { COMMAND_HELP, type CommandHelp } from './command-help.js'

const GLOBAL_OPTIONS: CommandHelp['options'] = [
  ['-e, --env KEY=VALUE', 'set an option for this run; overrides files and environment; may be repeated'],
  ['--cwd DIR', 'work in DIR instead of the current directory'],
  ['-h, --help', 'print this text, or with a command the help for that command'],
  ['-V, --version', 'print the version'],
]

const DEFAULT_COLUMNS = 80

export function formatHelpOverview(columns = DEFAULT_COLUMNS): string {
  const groups = new Map<string, (readonly [string, string])[]>()
  for (const [name, { group, summary }] of COMMAND_HELP) {
    groups.set(group, [...(groups.get(group) ?? []), [name, summary]])
  }
  return [
    wrapText(`scorpiox-code ${VERSION}: an MCP server that lets an AI client run commands on this machine\n`, columns),
    'Usage: scorpiox-code [command] [options]\n',
    wrapText(`${WITHOUT_COMMAND}\n`, columns),
    ...[...groups].map(([group, rows]) => `${group}\n${formatDefinitions(rows, columns)}`),
    `Options\n${formatDefinitions(GLOBAL_OPTIONS, columns)}`,
    wrapText('To see the options of a command, with examples: scorpiox-code <command> --help\n', columns),
  ].join('\n')
}

const WITHOUT_COMMAND =
  'Without a command it serves MCP over stdio, which is how a client starts it; on a terminal it prints how to connect clients.'

/** Undefined if there is no such command. */
export function formatCommandHelp(command: string, columns = DEFAULT_COLUMNS): string | undefined {
  const found = COMMAND_HELP.get(command)
  if (!found) return undefined
  const { usage, summary, details, options, examples } = found
  return [
    wrapText(`scorpiox-code ${command}: ${summary}\n`, columns),
    `Usage\n${usage.map((line) => formatUsage(`scorpiox-code ${line}`, columns)).join('')}`,
    ...(details === '' ? [] : [wrapText(`${details}\n`, columns)]),
    ...(options.length === 0 ? [] : [`Options\n${formatDefinitions(options, columns)}`]),
    `Options for all commands\n${formatDefinitions(GLOBAL_OPTIONS, columns)}`,
    ...(examples.length === 0 ? [] : [`Examples\n${examples.map((line) => `  ${line}\n`).join('')}`]),
  ].join('\n')
}
