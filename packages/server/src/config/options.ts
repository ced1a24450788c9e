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
    about: 'Serve tools at all; off, none is listed and every call is refused.',
  },
  STREAMING: {
    type: 'boolean',
    project: true,
    default: true,
    about: 'Send output as progress while a command runs, to clients that ask for it.',
  },
  MODEL: {
    type: 'string',
    project: true,
    default: 'sonnet',
    about: "The model to suggest when the client's model is asked for text.",
  },
  ACTIVE_PROFILE: {
    type: 'string',
    project: true,
    default: '',
    about: 'Name of a profile file in `scorpiox-env/` to read on top of the others; a project can name only its own.',
  },
  STARTUP_DIR: {
    type: 'string',
    default: '',
    about: 'Directory to work in; the `--cwd` flag beats it, empty means the current one.',
  },
  WORKSPACE_ROOT: {
    type: 'string',
    default: '',
    about:
      'Directory of each user over HTTP, such as `/srv/work/{user}`, or `/srv/work/{tenant}` for one that the users of a ' +
      'tenant share; it is their project, and no other user sees it. Empty means one project for all.',
  },
  WORKSPACE_TENANT_CLAIM: {
    type: 'string',
    default: 'tenant',
    about: 'Claim of an access token that names the tenant of WORKSPACE_ROOT.',
  },
  LOG_LEVEL: {
    type: 'choice',
    project: true,
    default: 'info',
    choices: ['error', 'warn', 'info', 'debug'],
    about: 'How much goes to stderr.',
  },
  MAX_LINE_BYTES: {
    type: 'integer',
    default: 16_777_216,
    min: 1024,
    max: 268_435_456,
    about: 'Largest message accepted; a longer one is answered with an error and skipped.',
  },
  BASH_MAX_OUTPUT: {
    type: 'integer',
    project: true,
    default: 0,
    min: 0,
    max: 10_000_000,
    about:
      'Characters of output a command may return; of a longer output the head and the tail are shown. 0 means as many as the client passes on to its model: 30000, fewer for clients known to cut results.',
  },
  SHELL_PATH: {
    type: 'string',
    default: '',
    about: 'The bash, or PowerShell on Windows, that runs commands; empty means the one that is found.',
  },
  SHELL_LAUNCHER: {
    type: 'boolean',
    default: true,
    about:
      'Start commands with the launcher, a program of 6 KB that comes with the server (Linux on x64 and arm64); off means a bash script, which takes longer.',
  },
  SHELL_ENV: {
    type: 'choice',
    default: 'off',
    choices: ['off', 'direnv', 'venv'],
    about:
      'Environment of the project that commands get: `direnv` loads its `.envrc` if you have allowed it with direnv, `venv` its ' +
      '`.venv` and the Node.js of its `.nvmrc`.',
  },
  BASH_AUTO_BACKGROUND: {
    type: 'boolean',
    project: true,
    default: true,
    about: 'Let a command without a timeout that takes too long go on as a background task; off, it is ended.',
  },
  BASH_SOFT_LIMIT_MS: {
    type: 'integer',
    project: true,
    default: 30_000,
    min: 100,
    max: 86_400_000,
    about: 'How long is too long for a command without a timeout, in milliseconds.',
  },
  JOB_MAX_OUTPUT: {
    type: 'integer',
    default: 33_554_432,
    min: 65_536,
    max: 17_179_869_184,
    about:
      'Bytes of output that are kept on disk of each background task or long output: the beginning and the newest.',
  },
  MAX_JOBS: {
    type: 'integer',
    default: 64,
    min: 1,
    max: 10_000,
    about: 'Background tasks that one user may have running at the same time.',
  },
  JOBS_OUTLIVE_SERVER: {
    type: 'boolean',
    default: false,
    about: 'Let background tasks go on when the server ends; the next server of the project takes them over.',
  },
  SANDBOX: {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'off', 'read-only', 'workspace', 'strict'],
    about:
      'What commands may do: `read-only` lets them read all but secrets and write nothing that lasts, `workspace` write to the ' +
      'project too, `strict` do that without a network or your other files; `auto` is `off` over stdio and, where a sandbox is ' +
      'available, `workspace` over HTTP.',
  },
  PERMISSIONS_FROM: {
    type: 'choice',
    default: 'own',
    choices: ['own', 'claude'],
    about:
      'Where rules for commands are read from: `own` files only, or `claude`, the settings of Claude Code too; without such a ' +
      'file every command runs.',
  },
  SANDBOX_HIDE: {
    type: 'string',
    default: '',
    about:
      'Further files and folders that sandboxed commands may not read, with commas between them; one with `!` before it, such as ' +
      '`!~/.npmrc`, may be read although it is one of those hidden by default.',
  },
  SANDBOX_WRITE: {
    type: 'string',
    default: '',
    about:
      'Folders that sandboxed commands may write to besides the project, with commas between them, such as `~/.cache/pip,~/.cargo/registry`.',
  },
  SANDBOX_READ: {
    type: 'string',
    default: '',
    about:
      'Files and folders that commands may read at `strict` besides the project and the system, with commas between them.',
  },
  SANDBOX_PIDS: {
    type: 'integer',
    default: 512,
    min: 16,
    max: 1_000_000,
    about: 'Processes and threads that a sandboxed command may have at the same time.',
  },
  SANDBOX_MEMORY_MB: {
    type: 'integer',
    default: 4096,
    min: 64,
    max: 1_000_000,
    about: 'Memory that a sandboxed command may take, in megabytes; half as much fits into its `/tmp`.',
  },
  COMMANDS_MEMORY_MB: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 100_000_000,
    about:
      'Memory that all running commands together may take on Linux, in megabytes; beyond that the largest is ended, and its result says so. 0 means three quarters of what the server may use.',
  },
  HTTP_HOST: { type: 'string', default: '127.0.0.1', about: 'Address that `serve --http` listens on.' },
  HTTP_PORT: { type: 'integer', default: 8808, min: 0, max: 65_535, about: 'Port that `serve --http` listens on.' },
  HTTP_TOKEN: {
    type: 'string',
    default: '',
    secret: true,
    about: 'A token for HTTP besides those made with `token create`; its user is the user that runs the server.',
  },
  TLS_CERT: {
    type: 'string',
    default: '',
    about: "File with the certificate for HTTPS, PEM, followed by its issuers'; read again when it changes.",
  },
  TLS_KEY: { type: 'string', default: '', about: 'File with the key of `TLS_CERT`, PEM, without a passphrase.' },
  ACCESS_LOG: {
    type: 'string',
    default: 'stderr',
    about: 'Where a line for each HTTP request goes: `stderr`, `off`, or a file to append to.',
  },
  HTTP_KEY_HEADER: {
    type: 'string',
    default: 'X-API-Key',
    about: 'Header that may carry the token instead of `Authorization: Bearer`.',
  },
  STATE_DIR: {
    type: 'string',
    default: '',
    about: 'Folder for what must be remembered, such as the hashes of tokens; empty means `~/.scorpiox`.',
  },
  DATABASE_URL: {
    type: 'string',
    default: '',
    secret: true,
    about:
      'Address of a PostgreSQL database for tasks, plans, questions and callbacks, such as `postgres://user:password@host/name`; ' +
      'empty means a SQLite file in `STATE_DIR`.',
  },
  ADVERTISE_URL: {
    type: 'string',
    default: '',
    about:
      'URL of this server for the other machines, such as `http://10.0.0.5:8808`; with `DATABASE_URL` it makes `serve --http` one ' +
      'of several machines behind a load balancer, empty means a machine on its own.',
  },
  MACHINE_NAME: {
    type: 'string',
    default: '',
    about: 'Name of this machine in lists, logs and messages; empty means the host name.',
  },
  MACHINE_CA: {
    type: 'string',
    default: '',
    about: 'File with the certificates, PEM, that are trusted for HTTPS between machines besides those of the system.',
  },
  MACHINE_LEASE_SECONDS: {
    type: 'integer',
    default: 10,
    min: 2,
    max: 300,
    about: 'Seconds without a sign of life after which a machine counts as gone; the same on every machine.',
  },
  WORKSPACE_FILES: {
    type: 'choice',
    default: 'local',
    choices: ['local', 'shared'],
    about:
      'Where the files of a project are when there are several machines: with `local` each has its own, so no other takes over from ' +
      'one that is gone; with `shared`, such as a network file system, another does.',
  },
  DRAIN_SECONDS: {
    type: 'integer',
    default: 5,
    min: 0,
    max: 600,
    about: 'Seconds that a machine which is to stop still serves while `/readyz` says that it is not ready.',
  },
  DRAIN_TIMEOUT_SECONDS: {
    type: 'integer',
    default: 90,
    min: 0,
    max: 86_400,
    about: 'Seconds that a machine which is to stop waits for calls in progress.',
  },
  ADDITIONAL_SKILLS: {
    type: 'string',
    default: '',
    about:
      'Further folders with skills, with commas between them; those of the project and of the person come before them.',
  },
  SCRIPT_TOOLS: {
    type: 'string',
    default: '',
    about:
      'Folder of executable scripts, each of which becomes a tool that describes itself when it is run with `--schema`.',
  },
  ASK_WAIT: {
    type: 'integer',
    default: 600,
    min: 1,
    max: 86_400,
    about: 'Seconds that a question to the person is waited for; after that it stays open, and the call is answered.',
  },
  PLAN_APPROVAL: {
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'person', 'model'],
    about:
      'What ends plan mode: with `person` only the approval of a person, with `model` the call of the model; `auto` is `person` ' +
      'over HTTP and wherever a person can be reached, else `model`.',
  },
  CLAUDE_CHANNEL: {
    type: 'boolean',
    default: false,
    about: 'Push callbacks into Claude Code; for one that was started with this server among its channels.',
  },
  CALLBACK_COMMAND: {
    type: 'string',
    default: '',
    about: 'Command to run whenever a callback fires; it finds the message in `CALLBACK_MESSAGE`.',
  },
  CALLBACK_WEBHOOK: {
    type: 'string',
    default: '',
    secret: true,
    about: 'Address that is sent each callback that fires, as JSON by POST.',
  },
  SCORPIOX_INBOX: {
    type: 'boolean',
    default: false,
    about: 'Put callbacks that fire into the inbox folder of the session too, for a program that reads it there.',
  },
  FETCH_ALLOW: {
    type: 'string',
    default: '',
    about:
      'Private addresses that ReadDocs and WebSearch may reach, each as `host:port` with commas between them, such as ' +
      '`localhost:3000`; everything else that is not public is refused.',
  },
  FETCH_PROXY: {
    type: 'string',
    default: '',
    secret: true,
    about:
      'Proxy for ReadDocs and WebSearch, such as `http://proxy:3128`; empty means what `HTTPS_PROXY`, `HTTP_PROXY` and ' +
      '`NO_PROXY` say, `off` none.',
  },
  READDOCS_MAX_CHARS: {
    type: 'integer',
    project: true,
    default: 20_000,
    min: 1000,
    max: 1_000_000,
    about: 'Characters of a page that ReadDocs returns at once; the rest comes with its cursor.',
  },
  READDOCS_ROBOTS: {
    type: 'boolean',
    default: false,
    about: 'Let ReadDocs ask `robots.txt` first, as a crawler would; off, a page is read as a person would open it.',
  },
  BROWSER_PATH: {
    type: 'string',
    default: '',
    about: 'Chrome, Chromium or Edge for pages that need JavaScript; empty means the one that is found, `off` none.',
  },
  READIMAGE_ROOTS: {
    type: 'string',
    default: '',
    about:
      'Folders that ReadImage may read in, with commas between them; empty means everywhere, but only the project where ' +
      'commands run in a sandbox, and over HTTP where none are run.',
  },
  WEBSEARCH_ENGINES: {
    type: 'string',
    default: '',
    about: 'Engines that WebSearch asks, by name with commas between them; empty means eleven that fit the query.',
  },
  WEBSEARCH_DENY: {
    type: 'string',
    default: '',
    about: 'Engines that WebSearch never asks, by name with commas between them.',
  },
  WEBSEARCH_KEYS: {
    type: 'string',
    default: '',
    secret: true,
    about: 'Keys for engines that take one, such as `brave=KEY,tavily=KEY`; each joins the search.',
  },
  WEBSEARCH_GATEWAY: {
    type: 'string',
    default: '',
    about: 'Where engines are asked instead of at their own address, with `{engine}` for the name of each.',
  },
  SEARXNG_URL: {
    type: 'string',
    default: '',
    about: 'Address of a SearXNG instance that WebSearch asks too; it must offer JSON.',
  },
  PUBLIC_URL: {
    type: 'string',
    default: '',
    about: 'URL that clients use when it is not the one listened on, such as `https://mcp.example.com`.',
  },
  ALLOWED_HOSTS: {
    type: 'string',
    default: '',
    about: 'Further names this server is reached by, with commas between them: `name` or `name:port`.',
  },
  OAUTH_ISSUER: {
    type: 'string',
    default: '',
    about: 'Issuer whose access tokens are accepted, exactly as it names itself; empty means no OAuth.',
  },
  OAUTH_AUDIENCE: {
    type: 'string',
    default: '',
    about: 'Audience an access token must be made for; empty means the URL of the endpoint.',
  },
  OAUTH_JWKS: {
    type: 'string',
    default: '',
    about: 'Address of the keys of the issuer; empty means the one its metadata names.',
  },
  OAUTH_SCOPES: {
    type: 'string',
    default: '',
    about: 'Scopes an access token must have, with spaces between them.',
  },
  RATE_LIMIT: {
    type: 'integer',
    default: 100,
    min: 0,
    max: 1_000_000,
    about: 'Requests a second that one user may send over HTTP in the long run; 0 means no limit.',
  },
  RATE_BURST: {
    type: 'integer',
    default: 400,
    min: 1,
    max: 1_000_000,
    about: 'Requests that one user may send at once before RATE_LIMIT holds.',
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
    about: 'Connections that are open over HTTP at the same time; further ones are closed at once.',
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
        about: `Offer ${name}; off, it is not listed and a call is refused.`,
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
