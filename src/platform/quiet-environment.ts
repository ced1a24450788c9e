// The environment for commands: nobody watches them and nobody can answer. What would ask fails, what would page or
// colour does not, and what belongs to this server alone is taken out. Never CI=1: with it, tools do something else.

import { posix, win32 } from 'node:path'

/** Whatever the person has set: no window, no key to press. */
const SET = {
  TERM: 'dumb', // moves no cursor
  NO_COLOR: '1', // no-color.org
  PAGER: 'cat', // for man, psql and whoever asks no further
  GIT_PAGER: 'cat', // before core.pager
  GH_PAGER: 'cat', // before its own setting
  MANPAGER: 'cat', // before PAGER
  SYSTEMD_PAGER: 'cat', // before PAGER
  BAT_PAGER: 'cat', // before PAGER
  DELTA_PAGER: 'cat', // before PAGER
  AWS_PAGER: '', // the only word for none; unset, it takes less
  EDITOR: 'false', // vi without a terminal hangs, and npx sets EDITOR=vi; a failed edit says so
  VISUAL: 'false', // before EDITOR
  GIT_EDITOR: 'true', // takes the message as it is (amend, rebase --continue); an empty one still fails
  GIT_SEQUENCE_EDITOR: 'false', // a rebase -i that nobody edits must not report success
  GIT_TERMINAL_PROMPT: '0', // fails with a sentence
  GCM_INTERACTIVE: 'never', // Git's credential manager opens windows
  GH_PROMPT_DISABLED: '1', // says which flag is missing
  PIP_NO_INPUT: '1', // says which question it had
  PIP_PROGRESS_BAR: 'off', // drawn even into a pipe
  PIP_DISABLE_PIP_VERSION_CHECK: '1', // advertisement
  npm_config_progress: 'false', // bars
  npm_config_fund: 'false', // advertisement
  npm_config_update_notifier: 'false', // advertisement
}

const SET_ON_UNIX = {
  SSH_ASKPASS_REQUIRE: 'never', // a desktop's window would wait for somebody; sshpass still works
}

const SET_ON_LINUX = {
  DEBIAN_FRONTEND: 'noninteractive', // packages take their defaults
}

const SET_ON_WINDOWS = {
  SSH_ASKPASS_REQUIRE: 'force', // there is a console nobody sees, and ssh would wait at it
  SSH_ASKPASS: 'nobody-can-answer', // no such program, so that asking fails
}

const REMOVED = [
  'FORCE_COLOR', // wins over NO_COLOR, and Node warns about the two
  'CLICOLOR', // BSD's ls takes any value for yes, 0 included
  'CLICOLOR_FORCE', // wins over NO_COLOR
  'COLORTERM', // of a terminal that is not there
  'SYSTEMD_COLORS', // wins over NO_COLOR
  'GH_FORCE_TTY', // tables cut to a width, colours
  'COLUMNS', // of a window that is not there
  'LINES',
  'GPG_TTY', // pinentry would draw on, and wait at, the terminal the server was started from
  'SSH_ASKPASS', // git takes it, too
  'ELECTRON_RUN_AS_NODE', // desktop clients start us with it; any Electron program would be a Node
]

/** Only where the person has not decided. */
const FILLED = {
  GIT_ASKPASS: '', // hides core.askPass; one that is set may hand out a token without asking
  PYTHONUNBUFFERED: '1', // else prints come after the errors they precede, and are lost at a timeout
}

const FILLED_ON_WINDOWS = {
  PYTHONIOENCODING: 'utf-8', // output is read as UTF-8, and a pipe gets the code page
}

/** What npm and npx put there for the one program they start. Settings of the person, such as the registry, stay. */
const OF_NPM =
  /^(npm_(?!config_).*|npm_config_(prefix|global_prefix|local_prefix|globalconfig|init_module|node_gyp|npm_version|user_agent|yes|package|call)|INIT_CWD|NODE|COLOR)$/

const FOLDER_OF_NPM = /[/\\](node_modules[/\\]\.bin|node-gyp-bin)$/

export function quietEnvironment(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32'
  // To Windows, Pager and PAGER are the same, and the first of them would win.
  const same = (name: string): string => (isWindows ? name.toUpperCase() : name)
  const set = { ...SET, ...(isWindows ? SET_ON_WINDOWS : SET_ON_UNIX), ...(platform === 'linux' ? SET_ON_LINUX : {}) }
  const gone = new Set([...REMOVED, ...Object.keys(set)].map(same))
  const isUnderNpm = env.npm_execpath !== undefined
  const kept = Object.entries(env)
    .filter(([name]) => !gone.has(same(name)) && !(isUnderNpm && OF_NPM.test(name)))
    .map(([name, value]): [string, string | undefined] => [
      name,
      isUnderNpm && same(name) === 'PATH' ? withoutNpm(value, platform) : value,
    ])
  const taken = new Set(kept.map(([name]) => same(name)))
  const filled = { ...FILLED, ...(isWindows ? FILLED_ON_WINDOWS : {}) }
  const missing = Object.entries(filled).filter(([name]) => !taken.has(same(name)))
  return { ...Object.fromEntries([...kept, ...missing]), ...set, ...utf8(env, platform) }
}

/** What npm puts in front of PATH ends with the folder of its node-gyp. */
function withoutNpm(value: string | undefined, platform: NodeJS.Platform): string | undefined {
  const { delimiter } = platform === 'win32' ? win32 : posix
  const folders = value?.split(delimiter) ?? []
  const last = folders.findLastIndex((folder) => /[/\\]node-gyp-bin$/.test(folder))
  return value && folders.filter((folder, index) => index > last || !FOLDER_OF_NPM.test(folder)).join(delimiter)
}

/** Clients start us without a locale, and then é is two unknown bytes to ls, bash and Ruby. */
function utf8({ LC_ALL, LC_CTYPE, LANG = '' }: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  if (LC_ALL || LC_CTYPE || !['', 'C', 'POSIX'].includes(LANG)) return {}
  if (platform === 'linux') return { LANG: 'C.UTF-8' }
  // There is no C.UTF-8 on a Mac.
  return platform === 'darwin' ? { LANG: 'en_US.UTF-8' } : {}
}
