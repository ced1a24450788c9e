// Determines what a program starts that was given a command as arguments: `timeout 5 npm test`, `xargs rm`, `find -exec`,
// `bash -c`. Used by parse-command. Pure: nothing is run.

import { basename } from 'node:path'

import { isSafeVariable, UNKNOWN } from './shell-words.js'

export interface StartedCommand {
  /** The words of each started command; they do not pass a shell. */
  readonly commands: readonly (readonly string[])[]
  /** Bash source that is run instead. */
  readonly script?: string
  /** Why it cannot be determined. */
  readonly problem?: string
  /** The program only runs what it is given. */
  readonly isTransparent: boolean
  /** Why no rule can allow the started commands. */
  readonly reservations?: readonly string[]
}

/** Undefined if the program is not known to start another one. */
export function findStartedCommand(words: readonly string[]): StartedCommand | undefined {
  const [program = '', ...args] = words
  const name = basename(program)
  if (SHELLS.has(name)) return shellScript(args)
  if (name === 'eval') return script(args, true)
  if (name === 'trap')
    return args[0] === undefined || args[0].startsWith('-') ? undefined : script(args.slice(0, 1), false)
  if (name === 'find' || name === 'gfind') return findActions(args)
  if (CHANGES_MEANING.has(name)) return problem('later words may mean something else')
  if (OPAQUE.has(name)) return problem('the started command cannot be determined')
  const wrapper = WRAPPERS[name]
  return wrapper === undefined ? undefined : unwrap(args, wrapper)
}

function problem(text: string): StartedCommand {
  return { commands: [], problem: text, isTransparent: false }
}

function script(args: readonly string[], isTransparent: boolean): StartedCommand {
  const source = args.join(' ')
  if (source.includes(UNKNOWN)) return problem('commands are known only when it runs')
  return { commands: [], script: source, isTransparent }
}

const SHELLS = new Set(['bash', 'sh', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'rbash', 'fish'])

/** A shell that runs a file is a command like any other. */
function shellScript(args: readonly string[]): StartedCommand | undefined {
  for (const [at, arg] of args.entries()) {
    if (arg.includes(UNKNOWN)) return problem('the arguments of the shell are known only when it runs')
    if (/^-[a-z]+$/.test(arg) && arg.includes('c')) return scriptArgument(args.slice(at + 1))
    if (arg === '-s' || arg === '-') break
    if (/^[-+]o$/.test(arg) || arg.startsWith('--')) return problem('the options of the shell are not known')
    if (!/^[-+][a-zA-Z]+$/.test(arg)) return undefined
  }
  return problem('the shell reads commands from its input')
}

function scriptArgument(args: readonly string[]): StartedCommand {
  const [source] = args
  // Between -c and the commands there may be further options.
  if (source === undefined || /^[-+]/.test(source)) return problem('the options of the shell are not known')
  return script([source], true)
}

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

function findActions(args: readonly string[]): StartedCommand | undefined {
  if (args.some((arg) => arg.includes(UNKNOWN) && !/^[\w./~]/.test(arg)))
    return problem('the actions are known only when it runs')
  const starts = args.flatMap((arg, at) => (FIND_ACTIONS.has(arg) ? [at + 1] : []))
  if (starts.length === 0) return undefined
  const commands = starts.map((start) => {
    const rest = args.slice(start)
    const end = rest.findIndex((arg) => arg === ';' || arg === '+')
    return (end === -1 ? rest : rest.slice(0, end)).map((arg) => arg.replaceAll('{}', UNKNOWN))
  })
  return { commands, isTransparent: false }
}

/** Builtins after which a name may stand for another program. */
const CHANGES_MEANING = new Set(['alias', 'enable', 'hash', 'bind', 'complete', 'compgen'])

/** Programs that start others in ways that are not analysed. */
const OPAQUE = new Set(
  (
    'at batch bwrap busybox capsh chroot chrt cpulimit dbus-run-session doas entr expect fakeroot faketime firejail flock gdb ' +
    'ltrace nsenter numactl parallel perf pkexec prlimit proot runuser rlwrap script setpriv strace su systemd-run taskset ' +
    'toybox unbuffer unshare valgrind watch xvfb-run'
  ).split(' '),
)

interface Wrapper {
  readonly flags?: RegExp
  /** Options whose value is the next word. */
  readonly valueFlags?: RegExp
  /** Words before the command, such as the duration of timeout. */
  readonly operands?: number
  readonly takesAssignments?: boolean
  readonly isTransparent: boolean
  /** Further arguments are read from the input. */
  readonly appends?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: { isTransparent: true },
  command: { flags: /^-p$/, isTransparent: true },
  exec: { flags: /^-[cl]+$/, isTransparent: true },
  nohup: { isTransparent: true },
  time: { flags: /^-p$/, isTransparent: true },
  nice: { flags: /^(?:-\d+|-n-?\d+|--adjustment=-?\d+)$/, valueFlags: /^-n$/, isTransparent: true },
  ionice: { flags: /^-(?:t|[cn]\d)$/, valueFlags: /^-[cn]$/, isTransparent: true },
  setsid: { flags: /^-[cfw]+$/, isTransparent: true },
  stdbuf: { flags: /^-[ioe](?:L|\d+)$/, valueFlags: /^-[ioe]$/, isTransparent: true },
  timeout: {
    flags: /^(?:-v|-f|-p|--foreground|--preserve-status|--verbose|--(?:signal|kill-after)=\w+)$/,
    valueFlags: /^-[ks]$/,
    operands: 1,
    isTransparent: true,
  },
  gtimeout: { operands: 1, isTransparent: true },
  env: { takesAssignments: true, isTransparent: true },
  sudo: { flags: /^-[AEHnkS]+$/, valueFlags: /^-[ugp]$/, isTransparent: false },
  xargs: {
    flags: /^(?:-[0rtx]+|-[nLP]\d+|-I\{\}|--null|--no-run-if-empty|--max-(?:args|procs|lines)=\d+)$/,
    valueFlags: /^-[nLPsEd]$/,
    isTransparent: false,
    appends: true,
  },
}

function unwrap(args: readonly string[], wrapper: Wrapper): StartedCommand | undefined {
  const { operands = 0, takesAssignments = false, isTransparent, appends = false } = wrapper
  const at = skipOptions(args, wrapper)
  if (at === undefined) return problem('the options are known only when it runs')
  const first = args[at] ?? ''
  if (first.startsWith('-')) return STARTS_NOTHING.has(first) ? undefined : problem(`the option ${first} is not known`)
  const assigned = takesAssignments ? args.slice(at).findIndex((arg) => !/^\w+=/.test(arg)) : 0
  const variables = args.slice(at, at + Math.max(assigned, 0)).map((arg) => arg.replace(/=.*/s, ''))
  const words = args.slice(at + operands + variables.length)
  if (words.length === 0) return undefined
  const reservations = variables.filter((name) => !isSafeVariable(name)).map((name) => `it sets ${name}`)
  const started = appends ? [...words.map((word) => word.replaceAll('{}', UNKNOWN)), UNKNOWN] : words
  return { commands: [started], isTransparent, reservations }
}

/** The index of the first word that is no option; undefined if one is not known before it runs. */
function skipOptions(args: readonly string[], { flags, valueFlags }: Wrapper): number | undefined {
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg.startsWith(UNKNOWN)) return undefined
    if (arg === '--') return at + 1
    if (valueFlags?.test(arg)) at++
    else if (!flags?.test(arg)) break
  }
  return at
}

/** Options of `command` and others after which no command is started. */
const STARTS_NOTHING = new Set(['-v', '-V', '--help', '--version'])
