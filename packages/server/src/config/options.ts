// Declares every option: type, default, description, and whether a project may set it. The documentation table, the
// `config` command and the parser are derived from this list. The options that switch tools off follow from their
// names. Used by load-config and settings, and by the commands and services that read settings. Pure.

interface OptionBase {
  readonly about: string
  /** Printed as ****. */
  readonly secret?: true
  /**
   * A project's files may set it. All other options are read from the user's files, the environment and flags only,
   * because a project may have been cloned.
   */
  readonly project?: true
}

export type Option = OptionBase &
  (
    | { readonly type: 'boolean'; readonly default: boolean }
    | { readonly type: 'integer'; readonly default: number; readonly min: number; readonly max: number }
    | { readonly type: 'string'; readonly default: string }
    | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  )

const GENERAL_OPTIONS = {
  TOOLS: {
    type: 'boolean',
    project: true,
    default: true,
    about: 'Offer tools to clients; when off, none is listed and every call is refused.',
  },
  STREAMING: {
    type: 'boolean',
    project: true,
    default: true,
    about: 'Send output as progress notifications while a command runs, if the client requests progress.',
  },
  MODEL: {
    type: 'string',
    project: true,
    default: 'sonnet',
    about: "Model to suggest when the server asks the client's model for text.",
  },
  ACTIVE_PROFILE: {
    type: 'string',
    project: true,
    default: '',
    about:
      'Name of a profile file in `scorpiox-env/` to read after the others; a project can name only its own profiles.',
  },
  STARTUP_DIR: {
    type: 'string',
    default: '',
    about: 'Working directory; `--cwd` overrides it, empty means the current directory.',
  },
  WORKSPACE_ROOT: {
    type: 'string',
    default: '',
    about:
      'Project directory of each user over HTTP, such as `/srv/work/{user}`, or `/srv/work/{tenant}` to share one among the ' +
      'users of a tenant. Other users cannot see it. Empty means one project for all.',
  },
  WORKSPACE_TENANT_CLAIM: {
    type: 'string',
    default: 'tenant',
    about: 'Access token claim that names the tenant for `WORKSPACE_ROOT`.',
  },
  LOG_LEVEL: {
    type: 'choice',
    project: true,
    default: 'info',
    choices: ['error', 'warn', 'info', 'debug'],
    about: 'Lowest level of log messages written to stderr.',
  },
  MAX_LINE_BYTES: {
    type: 'integer',
    default: 16_777_216,
    min: 1024,
    max: 268_435_456,
    about: 'Largest message accepted, in bytes; a larger one is skipped and answered with an error.',
  },
  BASH_MAX_OUTPUT: {
    type: 'integer',
    project: true,
    default: 0,
    min: 0,
    max: 10_000_000,
    about:
      'Characters of command output to return; longer output is reduced to its beginning and end. 0 means as much as the ' +
      'client passes to its model: 30000, or less for clients known to truncate results.',
  },
  SHELL_PATH: {
    type: 'string',
    default: '',
    about: 'Path of bash, or of PowerShell on Windows, that runs commands; empty means search for it.',
  },
  SHELL_LAUNCHER: {
    type: 'boolean',
    default: true,
    about:
      'Start commands with the launcher, a 6 KB program that comes with the server (Linux on x64 and arm64); when off, a ' +
      'slower bash script is used.',
  },
  SHELL_ENV: {
    type: 'choice',
    default: 'off',
    choices: ['off', 'direnv', 'venv'],
    about:
      'Project environment for commands: `direnv` loads `.envrc` if you have allowed it with direnv, `venv` uses `.venv` and ' +
      'the Node.js version in `.nvmrc`.',
  },
  BASH_AUTO_BACKGROUND: {
    type: 'boolean',
    project: true,
    default: true,
    about:
      'Move a command without a timeout to the background as a job when it exceeds `BASH_SOFT_LIMIT_MS`; when off, the command is killed.',
  },
  BASH_SOFT_LIMIT_MS: {
    type: 'integer',
    project: true,
    default: 30_000,
    min: 100,
    max: 86_400_000,
    about: 'Time limit for a command without a timeout, in milliseconds.',
  },
  JOB_MAX_OUTPUT: {
    type: 'integer',
    default: 33_554_432,
    min: 65_536,
    max: 17_179_869_184,
    about: 'Bytes of output kept on disk for each job or long command output: its beginning and its newest part.',
  },
  MAX_JOBS: {
    type: 'integer',
    default: 64,
    min: 1,
    max: 10_000,
    about: 'Jobs that one user can run at the same time.',
  },
  JOBS_OUTLIVE_SERVER: {
    type: 'boolean',
    default: false,
    about: 'Keep jobs running when the server exits; the next server of the project takes them over. Linux only.',
  },
  SANDBOX: {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'off', 'read-only', 'workspace', 'strict'],
    about:
      'What commands may do: `read-only` reads all files except secrets and writes nothing permanent, `workspace` also writes ' +
      'to the project, `strict` writes to the project without network access or your other files. `auto` means `off` over ' +
      'stdio and, where a sandbox is available, `workspace` over HTTP.',
  },
  PERMISSIONS_FROM: {
    type: 'choice',
    default: 'own',
    choices: ['own', 'claude'],
    about:
      "Where permission rules for commands come from: `own` reads only this server's files, `claude` also reads the settings " +
      'of Claude Code. Without such a file every command is allowed.',
  },
  SANDBOX_HIDE: {
    type: 'string',
    default: '',
    about:
      'Additional files and folders that sandboxed commands cannot read, separated by commas; `!` before a path, such as ' +
      '`!~/.npmrc`, makes one readable that is hidden by default.',
  },
  SANDBOX_WRITE: {
    type: 'string',
    default: '',
    about:
      'Additional folders that sandboxed commands can write to, separated by commas, such as `~/.cache/pip,~/.cargo/registry`.',
  },
  SANDBOX_READ: {
    type: 'string',
    default: '',
    about:
      'Files and folders that commands can read at `strict` in addition to the project and the system, separated by commas.',
  },
  SANDBOX_PIDS: {
    type: 'integer',
    default: 512,
    min: 16,
    max: 1_000_000,
    about: 'Processes and threads that a sandboxed command can have at the same time.',
  },
  SANDBOX_MEMORY_MB: {
    type: 'integer',
    default: 4096,
    min: 64,
    max: 1_000_000,
    about: 'Memory limit of a sandboxed command, in megabytes; its `/tmp` holds up to half of this.',
  },
  COMMANDS_MEMORY_MB: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 100_000_000,
    about:
      'Memory limit of all running commands together on Linux, in megabytes. Above it the largest command is killed and its ' +
      'result says so. 0 means three quarters of the memory available to the server.',
  },
  HTTP_HOST: { type: 'string', default: '127.0.0.1', about: 'Address that `serve --http` listens on.' },
  HTTP_PORT: { type: 'integer', default: 8808, min: 0, max: 65_535, about: 'Port that `serve --http` listens on.' },
  HTTP_TOKEN: {
    type: 'string',
    default: '',
    secret: true,
    about: 'Access token for HTTP in addition to those of `token create`; its user is the user who runs the server.',
  },
  TLS_CERT: {
    type: 'string',
    default: '',
    about:
      "PEM file with the certificate for HTTPS, followed by its issuers' certificates; read again when it changes.",
  },
  TLS_KEY: { type: 'string', default: '', about: 'PEM file with the key of `TLS_CERT`, without a passphrase.' },
  ACCESS_LOG: {
    type: 'string',
    default: 'stderr',
    about: 'Where to log HTTP requests, one line each: `stderr`, `off`, or a file to append to.',
  },
  HTTP_KEY_HEADER: {
    type: 'string',
    default: 'X-API-Key',
    about: 'Header that can carry the token instead of `Authorization: Bearer`.',
  },
  STATE_DIR: {
    type: 'string',
    default: '',
    about: 'Folder for persistent data, such as the hashes of tokens; empty means `~/.scorpiox`.',
  },
  DATABASE_URL: {
    type: 'string',
    default: '',
    secret: true,
    about:
      'URL of a PostgreSQL database for tasks, plans, questions, callbacks and the call history, such as ' +
      '`postgres://user:password@host/name`; ' +
      'empty means a SQLite file in `STATE_DIR`.',
  },
  CALL_HISTORY: {
    type: 'boolean',
    default: true,
    about:
      'Store calls and their results for the console, without entered passwords and what looks like a token; when off, only ' +
      'the last calls of each running server are kept, in memory.',
  },
  CALL_HISTORY_REDACT: {
    type: 'string',
    default: '',
    about:
      'Additional values to replace with `[secret]` in stored calls: names whose values are secret, such as `customer_number`, ' +
      'and regular expressions between slashes, such as `/ACME-\\d{8}/`, separated by commas.',
  },
  CALL_HISTORY_DAYS: {
    type: 'integer',
    default: 14,
    min: 1,
    max: 365,
    about: 'Days for which calls are stored; at most 20,000 calls and 128 MB for each user.',
  },
  ADVERTISE_URL: {
    type: 'string',
    default: '',
    about:
      'URL at which other machines reach this server, such as `http://10.0.0.5:8808`. With `DATABASE_URL`, `serve --http` then ' +
      'runs as one of several machines behind a load balancer. Empty means a single machine.',
  },
  MACHINE_NAME: {
    type: 'string',
    default: '',
    about: 'Name of this machine in lists, logs and messages; empty means the host name.',
  },
  MACHINE_CA: {
    type: 'string',
    default: '',
    about: 'PEM file with certificates to trust for HTTPS between machines, in addition to those of the system.',
  },
  MACHINE_LEASE_SECONDS: {
    type: 'integer',
    default: 10,
    min: 2,
    max: 300,
    about: 'Seconds without a heartbeat after which a machine is considered lost; must be the same on every machine.',
  },
  WORKSPACE_FILES: {
    type: 'choice',
    default: 'local',
    choices: ['local', 'shared'],
    about:
      'Where project files are when there are several machines: `local` means that each machine has its own and none takes ' +
      'over from a lost one, `shared`, such as a network file system, lets another machine take over.',
  },
  DRAIN_SECONDS: {
    type: 'integer',
    default: 5,
    min: 0,
    max: 600,
    about: 'Seconds that a stopping machine still accepts requests while `/readyz` reports that it is not ready.',
  },
  DRAIN_TIMEOUT_SECONDS: {
    type: 'integer',
    default: 90,
    min: 0,
    max: 86_400,
    about: 'Seconds that a stopping machine waits for calls in progress.',
  },
  ADDITIONAL_SKILLS: {
    type: 'string',
    default: '',
    about:
      'Additional folders with skills, separated by commas; skills of the project and of the user take precedence.',
  },
  SCRIPT_TOOLS: {
    type: 'string',
    default: '',
    about: 'Folder of executable scripts, each offered as a tool; a script describes itself when run with `--schema`.',
  },
  ASK_WAIT: {
    type: 'integer',
    default: 600,
    min: 1,
    max: 86_400,
    about:
      'Seconds that a call waits for the user to answer a question; then the call returns and the question stays open.',
  },
  PLAN_APPROVAL: {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'person', 'model'],
    about:
      'Who approves the end of plan mode: `person` means a person must, `model` means the model may end it alone. `auto` ' +
      'means `person` over HTTP and wherever a person can be reached, otherwise `model`.',
  },
  CLAUDE_CHANNEL: {
    type: 'boolean',
    default: false,
    about: 'Push callbacks into Claude Code if it was started with this server as one of its channels.',
  },
  CALLBACK_COMMAND: {
    type: 'string',
    default: '',
    about: 'Command to run when a callback fires; the message is in the environment variable `CALLBACK_MESSAGE`.',
  },
  CALLBACK_WEBHOOK: {
    type: 'string',
    default: '',
    secret: true,
    about: 'URL that receives each fired callback as JSON in a POST request.',
  },
  SCORPIOX_INBOX: {
    type: 'boolean',
    default: false,
    about: 'Also write fired callbacks to the inbox folder of the session, for a program that reads them there.',
  },
  FETCH_ALLOW: {
    type: 'string',
    default: '',
    about:
      'Private addresses that ReadDocs and WebSearch may reach, as `host:port` separated by commas, such as `localhost:3000`; ' +
      'all other addresses that are not public are refused.',
  },
  FETCH_PROXY: {
    type: 'string',
    default: '',
    secret: true,
    about:
      'Proxy for ReadDocs and WebSearch, such as `http://proxy:3128`; empty means `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, ' +
      '`off` means no proxy.',
  },
  READDOCS_MAX_CHARS: {
    type: 'integer',
    project: true,
    default: 20_000,
    min: 1000,
    max: 1_000_000,
    about: 'Characters of a page that ReadDocs returns in one result; its cursor continues.',
  },
  READDOCS_ROBOTS: {
    type: 'boolean',
    default: false,
    about: "Make ReadDocs obey `robots.txt`, like a crawler; when off, it opens pages like a person's browser.",
  },
  BROWSER_PATH: {
    type: 'string',
    default: '',
    about:
      'Chrome, Chromium or Edge for pages that need JavaScript; empty means search for one, `off` means no browser.',
  },
  READIMAGE_ROOTS: {
    type: 'string',
    default: '',
    about:
      'Folders that ReadImage may read, separated by commas; empty means all folders, but only the project when commands run ' +
      'in a sandbox, or over HTTP when commands are switched off.',
  },
  WEBSEARCH_ENGINES: {
    type: 'string',
    default: '',
    about: 'Names of the engines that WebSearch uses, separated by commas; empty means eleven that suit the query.',
  },
  WEBSEARCH_DENY: {
    type: 'string',
    default: '',
    about: 'Names of the engines that WebSearch never uses, separated by commas.',
  },
  WEBSEARCH_KEYS: {
    type: 'string',
    default: '',
    secret: true,
    about: 'API keys of search engines, such as `brave=KEY,tavily=KEY`; each of these engines is added to the search.',
  },
  WEBSEARCH_GATEWAY: {
    type: 'string',
    default: '',
    about:
      "URL to send engine requests to instead of the engines' own addresses; `{engine}` stands for the engine's name.",
  },
  SEARXNG_URL: {
    type: 'string',
    default: '',
    about: 'URL of a SearXNG instance to add to WebSearch; it must have JSON output enabled.',
  },
  PUBLIC_URL: {
    type: 'string',
    default: '',
    about:
      'URL that clients use if it differs from the address the server listens on, such as `https://mcp.example.com`.',
  },
  ALLOWED_HOSTS: {
    type: 'string',
    default: '',
    about: 'Additional host names that clients use for this server, separated by commas: `name` or `name:port`.',
  },
  OAUTH_ISSUER: {
    type: 'string',
    default: '',
    about: 'Issuer of accepted access tokens, exactly as in their `iss` claim; empty means no OAuth.',
  },
  OAUTH_AUDIENCE: {
    type: 'string',
    default: '',
    about: 'Audience that access tokens must have; empty means the URL of the endpoint.',
  },
  OAUTH_JWKS: {
    type: 'string',
    default: '',
    about: "URL of the issuer's keys; empty means the one in its metadata.",
  },
  OAUTH_SCOPES: {
    type: 'string',
    default: '',
    about: 'Scopes that access tokens must have, separated by spaces.',
  },
  RATE_LIMIT: {
    type: 'integer',
    default: 100,
    min: 0,
    max: 1_000_000,
    about: 'Requests per second that one user may send over HTTP on average; 0 means no limit.',
  },
  RATE_BURST: {
    type: 'integer',
    default: 400,
    min: 1,
    max: 1_000_000,
    about: 'Requests that one user may send in a burst before `RATE_LIMIT` applies.',
  },
  MAX_OPEN_PER_USER: {
    type: 'integer',
    default: 1000,
    min: 0,
    max: 1_000_000,
    about: 'Requests and streams that one user may have open over HTTP at the same time; 0 means no limit.',
  },
  MAX_CONNECTIONS: {
    type: 'integer',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    about: 'HTTP connections that may be open at the same time; further ones are closed immediately.',
  },
} as const satisfies Record<string, Option>

type Options = typeof GENERAL_OPTIONS

export type OptionName = keyof Options

/** The effective values, by name. Those of the tool options are in `Config.effective`. */
export type Settings = {
  readonly [K in OptionName]: Options[K]['type'] extends 'boolean'
    ? boolean
    : Options[K]['type'] extends 'integer'
      ? number
      : Options[K] extends { readonly choices: readonly (infer C)[] }
        ? C
        : string
}

/** All options by name, with one that switches each tool off. */
export function listOptions(toolNames: readonly string[]): ReadonlyMap<string, Option> {
  return new Map<string, Option>([
    ...Object.entries(GENERAL_OPTIONS),
    ...toolNames.map((name): [string, Option] => [
      toolOptionName(name),
      {
        type: 'boolean',
        default: true,
        project: true,
        about: `Offer ${name}; when off, it is not listed and calls to it are refused.`,
      },
    ]),
  ])
}

export function toolOptionName(tool: string): string {
  return `TOOL_${tool.toUpperCase()}`
}

// Keys of the same file format that belong to the terminal program. A shared file may contain them.
const TERMINAL_PROGRAM_KEYS =
  /^(PROVIDER|THINKING|LOG_DIR|PROXY_|LOOP_DETECTION|PROMPT_|SCORPIOX_|SESSION_|TOOL_SEARCHSKILLS|TOOL_CREATEFILE|SKILL_|REQUIRED_SKILLS|SYSTEM_PROMPT_|HOOKS_|MCP|SERVER_|CONTEXT_|CACHE_|USAGE_|EMIT_|ANTHROPIC_|OPENAI_|CODEX_|COPILOT_|REASONING_|CLAUDE_|TMUX_|SXMUX_|SX_|CONTAINER_)/

export function belongsToTerminalProgram(key: string): boolean {
  return TERMINAL_PROGRAM_KEYS.test(key)
}
