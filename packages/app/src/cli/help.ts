// The text of `--help`: an overview of all commands, or the full help of one; and the help text of each command. Called
// by cli/commands.ts. Pure.

import { formatDefinitions, formatUsage, wrapText } from '@scorpiox/server/terminal/text-layout'
import { VERSION } from '@scorpiox/server/config/version'
import { CLIENTS } from '../install/clients.js'

const GLOBAL_OPTIONS: CommandHelp['options'] = [
  ['-e, --env KEY=VALUE', 'value of a setting for this run; overrides files and environment; can be repeated'],
  ['--cwd DIR', 'work in DIR instead of the current directory'],
  ['-h, --help', 'print this help, or with a command its help'],
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
    wrapText('Options and examples of a command: scorpiox-code <command> --help\n', columns),
  ].join('\n')
}

const WITHOUT_COMMAND =
  'Without a command, it serves MCP over stdio, as clients start it. In a terminal, it prints how to connect clients.'

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

/** The first of these options, by their long names, that the command does not have. */
export function findForeignOption(command: string, given: readonly string[]): string | undefined {
  const options = [...GLOBAL_OPTIONS, ...(COMMAND_HELP.get(command)?.options ?? [])]
  const names = new Set(options.map(([text]) => /--([a-z-]+)/.exec(text)?.[1]))
  return given.find((name) => !names.has(name) && name !== PROCESS_NUMBER)
}

/** Given by `serve --processes` to the processes it starts. */
const PROCESS_NUMBER = 'worker'

interface CommandHelp {
  readonly group: 'Set up' | 'Serve' | 'View and answer' | 'Write a server' | 'Use from the terminal'
  /** One line, for the overview. */
  readonly summary: string
  /** Command lines, without the name of the program. */
  readonly usage: readonly string[]
  /** Empty if the summary is enough. */
  readonly details: string
  readonly options: readonly (readonly [string, string])[]
  readonly examples: readonly string[]
}

const JSON_OPTION = ['--json', 'print JSON'] as const
const CONFIRM_OPTIONS = [
  ['-y, --yes', 'do not ask for confirmation'],
  ['--dry-run', 'show the changes without making them'],
] as const

/** A test checks that every command has an entry and that every option in it exists. */
export const COMMAND_HELP: ReadonlyMap<string, CommandHelp> = new Map<string, CommandHelp>([
  [
    'install',
    {
      group: 'Set up',
      summary: 'connect the AI clients on this machine to this server',
      usage: ['install [client…] [--yes] [--dry-run] [--codex-approval approve|ask] [--continue-bash own|both]'],
      details:
        'Installs the program at ~/.scorpiox/scorpiox-code and adds an entry to the configuration of each client that is used ' +
        'on this machine, or of the named clients. Shows every change first, and keeps a copy of each changed file.\n' +
        `Clients: ${CLIENTS.map(({ id }) => id).join(', ')}.`,
      options: [
        ...CONFIRM_OPTIONS,
        ['--codex-approval approve|ask', 'whether Codex may run the tools without asking each time (default: ask)'],
        [
          '--continue-bash own|both',
          "own: disable this server's Bash for Continue, which has its own; both: list both (default: both)",
        ],
      ],
      examples: ['scorpiox-code install --dry-run', 'scorpiox-code install claude-code codex'],
    },
  ],
  [
    'uninstall',
    {
      group: 'Set up',
      summary: 'remove what install added',
      usage: ['uninstall [client…] [--yes] [--dry-run]'],
      details:
        'Removes the entries of all clients and the program, or only the entries of the named clients. Tasks, plans and ' +
        'settings stay.',
      options: CONFIRM_OPTIONS,
      examples: ['scorpiox-code uninstall', 'scorpiox-code uninstall cursor'],
    },
  ],
  [
    'policy',
    {
      group: 'Set up',
      summary: 'show what the permission rules decide for a command',
      usage: ["policy check '<command>' [--json]", 'policy list [--json]'],
      details:
        'check prints allow, ask or deny (exit code 0, 3 or 1), and the rule that applies to each command of a list, ' +
        'pipeline or substitution. It runs no command. list prints all rules and the files that they come from.',
      options: [JSON_OPTION],
      examples: ["scorpiox-code policy check 'npm run build && rm -rf dist'", 'scorpiox-code policy list'],
    },
  ],
  [
    'doctor',
    {
      group: 'Set up',
      summary: 'check this machine and show how to fix problems',
      usage: ['doctor [--json]'],
      details: '✓ works; ○ works, with a suggestion; ✗ does not work. The exit code is 1 if something does not work.',
      options: [JSON_OPTION],
      examples: [],
    },
  ],
  [
    'config',
    {
      group: 'Set up',
      summary: 'print every setting, its value and its source',
      usage: ['config [setting…] [--json]'],
      details:
        'A name can be a part of a name: "config sandbox" prints every setting with SANDBOX in its name. Secrets are printed ' +
        'as ****.',
      options: [JSON_OPTION],
      examples: [
        'scorpiox-code config',
        'scorpiox-code config sandbox',
        'scorpiox-code config -e TOOL_BASH=0 tool_bash',
      ],
    },
  ],
  [
    'serve',
    {
      group: 'Serve',
      summary: 'serve MCP over stdio, or with --http over HTTP',
      usage: [
        'serve',
        'serve --http [--host ADDRESS] [--port N] [--no-auth] [--behind-proxy] [--no-sandbox] [--processes N]',
      ],
      details:
        'Over stdio, messages are read from stdin and answered on stdout. Over HTTP the endpoint is /mcp; the first start ' +
        'prints a token once. An address beyond loopback requires TLS, credentials and the sandbox.',
      options: [
        ['--http', 'serve over HTTP'],
        ['--host ADDRESS', 'address to listen on (default: 127.0.0.1)'],
        ['--port N', 'port to listen on (default: 8808); 0 means any free port'],
        ['--no-auth', 'require no token; for loopback addresses only'],
        ['--behind-proxy', 'allow plain HTTP on a public address, because a proxy in front of it provides HTTPS'],
        ['--no-sandbox', 'run commands without the sandbox: callers can do everything that you can do'],
        [
          '--processes N',
          'start N processes that share the port, or with auto one for each core; requires DATABASE_URL',
        ],
      ],
      examples: ['scorpiox-code serve --http --port 9000', 'scorpiox-code serve --http --no-auth'],
    },
  ],
  [
    'token',
    {
      group: 'Serve',
      summary: 'create, list and revoke the tokens of HTTP callers',
      usage: [
        'token create [--name NAME] [--user USER] [--expires TIME] [--json]',
        'token list [--json]',
        'token revoke <id or name> [--json]',
      ],
      details: 'A token is printed once, when it is created; only its hash is stored.',
      options: [
        ['--name NAME', 'name of the token (default: token-1, token-2, …)'],
        ['--user USER', 'user of the calls with this token (default: you)'],
        ['--expires TIME', 'expiry: 12h, 30d, 8w, 1y or a date such as 2027-01-31 (default: never)'],
        JSON_OPTION,
      ],
      examples: [
        'scorpiox-code token create --name laptop --user ann --expires 90d',
        'scorpiox-code token revoke laptop',
      ],
    },
  ],
  [
    'machines',
    {
      group: 'Serve',
      summary: 'list the machines that share a database, and drain one before maintenance',
      usage: ['machines [--json]', 'machines drain <name> [--json]'],
      details:
        'Lists the servers that were started with DATABASE_URL and ADVERTISE_URL: state, since when, and ' +
        'workspaces. drain makes a server hand over its users, finish its calls and stop.',
      options: [JSON_OPTION],
      examples: ['scorpiox-code machines', 'scorpiox-code machines drain web-2'],
    },
  ],
  [
    'check',
    {
      group: 'Serve',
      summary: 'test a deployed MCP endpoint, this server or any other',
      usage: ['check <url> [--token TOKEN] [--key-header NAME] [--tool NAME] [--args JSON] [--json]'],
      details:
        "Sends the requests of ArmorIQ's agent, ArmorIQ's scanner (conmap) and other clients. Prints the result of each test " +
        'and how to fix problems. Calls a tool only if --tool names it. The exit code is 1 if a test failed.',
      options: [
        ['--token TOKEN', 'the bearer token to send'],
        ['--key-header NAME', 'send the token in this header instead of Authorization, such as X-API-Key'],
        ['--tool NAME', 'also call this tool; for Bash without --args the command is "true"'],
        ['--args JSON', 'the arguments for that tool'],
        JSON_OPTION,
      ],
      examples: ['scorpiox-code check https://mcp.example.com/mcp --token "$TOKEN"'],
    },
  ],
  [
    'ui',
    {
      group: 'View and answer',
      summary: 'open the console in a browser: questions, jobs, tasks, plans and calls of all your servers',
      usage: ['ui [--port N] [--no-open] [--new-key]'],
      details:
        'Serves the console on 127.0.0.1 until the command ends. An open tab of it stays logged in when the command is started again.',
      options: [
        ['--port N', 'port of the console (default: the port of last time, or any free port)'],
        ['--no-open', 'print the address, and do not open a browser'],
        ['--new-key', 'log out all browsers, and use another port'],
      ],
      examples: [],
    },
  ],
  [
    'inbox',
    {
      group: 'View and answer',
      summary: 'open the console in this terminal: questions, jobs, tasks, plans and calls',
      usage: ['inbox [--once] [--json] [--quiet] [--notify auto|always|never] [--lang en|ko|ar]'],
      details: 'If stdin or stdout is not a terminal, it prints the state once and exits.',
      options: [
        ['--once', 'print the state once and exit'],
        ['--json', 'print the state once as JSON and exit'],
        ['--quiet', 'neither bell nor desktop notification when something arrives'],
        [
          '--notify WHEN',
          'desktop notifications (OSC 9) when something arrives: auto (in terminals that are known to show them), always or never (default: auto)',
        ],
        ['--lang LANG', 'en, ko or ar (default: the language of LC_ALL, LC_MESSAGES or LANG)'],
      ],
      examples: [],
    },
  ],
  [
    'dev',
    {
      group: 'Write a server',
      summary: 'run an MCP server that you write, restart it on change, and inspect it in a browser',
      usage: [
        'dev <file.mjs|file.ts> [argument…] [--port N] [--revision DATE] [--watch PATH]',
        'dev [--port N] [--revision DATE] [--watch PATH] -- <command> [argument…]',
      ],
      details:
        'Prints a link to a page on 127.0.0.1 that lists what the server offers, calls it with forms made from its schemas, ' +
        'answers its questions, and shows every message. Errors at startup appear there and in the terminal.',
      options: [
        ['--port N', 'port of the page (default: any free port)'],
        ['--revision DATE', 'protocol revision at the start (default: 2025-11-25)'],
        ['--watch PATH', "file or folder to watch instead of the server's folder; can be repeated"],
      ],
      examples: ['scorpiox-code dev server.mjs', 'scorpiox-code dev -- python3 server.py'],
    },
  ],
  [
    'tools',
    {
      group: 'Use from the terminal',
      summary: 'list the tools and their parameters',
      usage: ['tools [--json]'],
      details: '',
      options: [['--json', 'print what tools/list sends to a client']],
      examples: [],
    },
  ],
  [
    'call',
    {
      group: 'Use from the terminal',
      summary: 'call one tool',
      usage: ['call <Tool> [key=value…] [--json]', "call <Tool> '<JSON object>' [--json]"],
      details:
        'Prints the result on stdout; the exit code is 1 if the tool reports an error. A job that the tool starts is killed ' +
        'when this command ends; JOBS_OUTLIVE_SERVER=1 keeps it running.',
      options: [['--json', 'print the whole result as JSON']],
      examples: [
        'scorpiox-code call Bash command="ls -la" timeout=5000',
        'scorpiox-code call Bash \'{"command": "git status"}\'',
        'scorpiox-code call BackgroundBash command="npm run dev" -e JOBS_OUTLIVE_SERVER=1',
      ],
    },
  ],
  [
    'search',
    {
      group: 'Use from the terminal',
      summary: 'search the web as WebSearch does',
      usage: ['search <query> [--json]', 'search --doctor [--json]'],
      details: '',
      options: [['--doctor', 'query each search engine once and show which of them work'], JSON_OPTION],
      examples: ['scorpiox-code search "node sqlite wal"'],
    },
  ],
  [
    'skills',
    {
      group: 'Use from the terminal',
      summary: 'show which skills were found, and why others were skipped',
      usage: ['skills [--json]'],
      details: '',
      options: [JSON_OPTION],
      examples: [],
    },
  ],
  [
    'state',
    {
      group: 'Use from the terminal',
      summary: 'show where tasks and plans are stored; export and import them',
      usage: ['state path', 'state export [file]', 'state import <file> [--replace]'],
      details: 'export prints JSON to stdout, or writes it to the file. import changes everything or nothing.',
      options: [['--replace', 'replace the tasks and plans of projects that already have some']],
      examples: ['scorpiox-code state export tasks.json'],
    },
  ],
])
