// Builds the environment of commands from that of the server. Commands run unattended: prompts fail, pagers and colours
// are off, and variables that are meant for this server only are removed. CI=1 is never set, because tools change their
// behaviour with it. Used by the shell and by callbacks. Pure.

import { posix, win32 } from 'node:path'

/** Set in any case: there is no terminal and no keyboard. */
const FORCED = {
  TERM: 'dumb', // no cursor movement
  NO_COLOR: '1', // no-color.org
  PAGER: 'cat', // for man, psql and programs without a variable of their own
  GIT_PAGER: 'cat', // before core.pager
  GH_PAGER: 'cat', // before its own setting
  MANPAGER: 'cat', // before PAGER
  SYSTEMD_PAGER: 'cat', // before PAGER
  BAT_PAGER: 'cat', // before PAGER
  DELTA_PAGER: 'cat', // before PAGER
  AWS_PAGER: '', // empty means none; if unset, aws uses less
  EDITOR: 'false', // vi hangs without a terminal, and npx sets EDITOR=vi; a failed edit is reported
  VISUAL: 'false', // before EDITOR
  GIT_EDITOR: 'true', // keeps the message (amend, rebase --continue); an empty one still fails
  GIT_SEQUENCE_EDITOR: 'false', // an unedited rebase -i must not report success
  GIT_TERMINAL_PROMPT: '0', // fails with an explanation
  GCM_INTERACTIVE: 'never', // Git Credential Manager opens windows
  GH_PROMPT_DISABLED: '1', // reports which flag is missing
  PIP_NO_INPUT: '1', // reports the question
  PIP_PROGRESS_BAR: 'off', // drawn even into a pipe
  PIP_DISABLE_PIP_VERSION_CHECK: '1', // advertising
  npm_config_progress: 'false', // progress bars
  npm_config_fund: 'false', // advertising
  npm_config_update_notifier: 'false', // advertising
}

const FORCED_ON_UNIX = {
  SSH_ASKPASS_REQUIRE: 'never', // a window on the desktop would wait for input; sshpass still works
}

const FORCED_ON_LINUX = {
  DEBIAN_FRONTEND: 'noninteractive', // packages take their defaults
}

const FORCED_ON_WINDOWS = {
  SSH_ASKPASS_REQUIRE: 'force', // there is an invisible console, and ssh would wait at it
  SSH_ASKPASS: 'prompts-are-disabled', // no such program, so that prompts fail
}

const REMOVED = [
  'FORCE_COLOR', // wins over NO_COLOR, and Node warns about the two
  'CLICOLOR', // BSD ls treats any value as yes, even 0
  'CLICOLOR_FORCE', // wins over NO_COLOR
  'COLORTERM', // describes a terminal that does not exist
  'SYSTEMD_COLORS', // wins over NO_COLOR
  'GH_FORCE_TTY', // tables cut to a width, and colours
  'COLUMNS', // describes a window that does not exist
  'LINES',
  'GPG_TTY', // pinentry would prompt on the terminal the server was started from
  'SSH_ASKPASS', // git uses it, too
  'ELECTRON_RUN_AS_NODE', // desktop clients set it; any Electron program would run as Node.js
]

/** Only where the user has not set them. */
const DEFAULTS = {
  GIT_ASKPASS: '', // hides core.askPass; an existing one may supply a token without a prompt
  PYTHONUNBUFFERED: '1', // otherwise prints follow later errors, and are lost at a timeout
}

const DEFAULTS_ON_WINDOWS = {
  PYTHONIOENCODING: 'utf-8', // output is read as UTF-8, and a pipe gets the code page
}

/** Set by npm and npx for the one program they start. Settings of the user, such as the registry, are kept. */
const NPM_VARIABLES =
  /^(npm_(?!config_).*|npm_config_(prefix|global_prefix|local_prefix|globalconfig|init_module|node_gyp|npm_version|user_agent|yes|package|call)|INIT_CWD|NODE|COLOR)$/

const NPM_FOLDER = /[/\\](node_modules[/\\]\.bin|node-gyp-bin)$/

export function createCommandEnvironment(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32'
  // To Windows, Pager and PAGER are the same variable, and the first one would win.
  const normalizeName = (name: string): string => (isWindows ? name.toUpperCase() : name)
  const forced = {
    ...FORCED,
    ...(isWindows ? FORCED_ON_WINDOWS : FORCED_ON_UNIX),
    ...(platform === 'linux' ? FORCED_ON_LINUX : {}),
  }
  const removed = new Set([...REMOVED, ...Object.keys(forced)].map(normalizeName))
  const isUnderNpm = env.npm_execpath !== undefined
  const kept = Object.entries(env)
    .filter(([name]) => !removed.has(normalizeName(name)) && !(isUnderNpm && NPM_VARIABLES.test(name)))
    .map(([name, value]): [string, string | undefined] => [
      name,
      isUnderNpm && normalizeName(name) === 'PATH' ? removeNpmFolders(value, platform) : value,
    ])
  const present = new Set(kept.map(([name]) => normalizeName(name)))
  const defaults = { ...DEFAULTS, ...(isWindows ? DEFAULTS_ON_WINDOWS : {}) }
  const missing = Object.entries(defaults).filter(([name]) => !present.has(normalizeName(name)))
  return { ...Object.fromEntries([...kept, ...missing]), ...forced, ...utf8Locale(env, platform) }
}

/** Whether commands get this variable from here, or are not to have it, whatever others say. */
export function isFixedForCommands(name: string): boolean {
  return [FORCED, FORCED_ON_UNIX, FORCED_ON_LINUX].some((fixed) => name in fixed) || REMOVED.includes(name)
}

/** The folders that npm prepends to PATH end with that of its node-gyp. */
function removeNpmFolders(value: string | undefined, platform: NodeJS.Platform): string | undefined {
  const { delimiter } = platform === 'win32' ? win32 : posix
  const folders = value?.split(delimiter) ?? []
  const last = folders.findLastIndex((folder) => /[/\\]node-gyp-bin$/.test(folder))
  return value && folders.filter((folder, index) => index > last || !NPM_FOLDER.test(folder)).join(delimiter)
}

/** Clients start the server without a locale, and then é is two unknown bytes to ls, bash and Ruby. */
function utf8Locale({ LC_ALL, LC_CTYPE, LANG = '' }: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  if (LC_ALL || LC_CTYPE || !['', 'C', 'POSIX'].includes(LANG)) return {}
  if (platform === 'linux') return { LANG: 'C.UTF-8' }
  // macOS has no C.UTF-8.
  return platform === 'darwin' ? { LANG: 'en_US.UTF-8' } : {}
}
