// Determines what a program starts that was given a command as arguments: `timeout 5 npm test`, `xargs rm`, `find -exec`,
// `bash -c`. Used by parse-command. Pure: nothing is run.

import { basename } from 'node:path'

import { findShellScript, isShell } from './shell-script.js'
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
  if (isShell(name)) return startedShell(name, args)
  if (name === 'eval') return script(args[0] === '--' ? args.slice(1) : args, true)
  if (name === 'trap') return trapAction(args[0] === '--' ? args.slice(1) : args)
  if (name === 'source' || name === '.') return sourcedFile(args[0] === '--' ? args.slice(1) : args)
  if (name === 'mapfile' || name === 'readarray')
    return args.some((arg) => /^-\w*C/.test(arg)) ? problem('the started command cannot be determined') : undefined
  if (name === 'find' || name === 'gfind') return findActions(args)
  if (CHANGES_MEANING.has(name)) return problem('later words may mean something else')
  if (OPAQUE.has(name) || LOADER.test(name)) return problem('the started command cannot be determined')
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

function startedShell(name: string, args: readonly string[]): StartedCommand | undefined {
  const found = findShellScript(name, args)
  if (found === undefined) return undefined
  return 'problem' in found ? problem(found.problem) : { commands: [], script: found.script, isTransparent: true }
}

function trapAction([action]: readonly string[]): StartedCommand | undefined {
  return action === undefined || action.startsWith('-') ? undefined : script([action], false)
}

/** A file of commands is a program like any other; what is no file hides them. */
function sourcedFile([file = '']: readonly string[]): StartedCommand | undefined {
  return file === UNKNOWN || /^\/(?:dev|proc)\//.test(file)
    ? problem('commands are known only when it runs')
    : undefined
}

const MAX_ACTIONS = 50
const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

function findActions(args: readonly string[]): StartedCommand | undefined {
  if (args.some((arg) => arg.includes(UNKNOWN))) return problem('the actions are known only when it runs')
  const starts = args.flatMap((arg, at) => (FIND_ACTIONS.has(arg) ? [at + 1] : []))
  if (starts.length === 0) return undefined
  if (starts.length > MAX_ACTIONS) return problem(`it has more than ${MAX_ACTIONS} actions`)
  const commands = starts.map((start) => {
    const rest = args.slice(start)
    const end = rest.findIndex((arg, at) => arg === ';' || (arg === '+' && rest[at - 1] === '{}'))
    return (end === -1 ? rest : rest.slice(0, end)).map((arg) => arg.replaceAll('{}', UNKNOWN))
  })
  return { commands, isTransparent: false }
}

/** Builtins after which a name may stand for another program. */
const CHANGES_MEANING = new Set(['alias', 'enable', 'hash', 'bind', 'complete', 'compgen'])

/** Programs that start others in ways that are not analysed. */
const OPAQUE = new Set(
  (
    'aa-exec at batch bwrap busybox caffeinate capsh catchsegv choom chpst chroot chrt coresched cpulimit dbus-launch ' +
    'dbus-run-session doas dtach dumb-init eatmydata entr env_parallel envdir envuidgid expect fakeroot faketime fc firejail ' +
    'flock gdb gosu hyperfine i386 ld.so linux32 linux64 logsave ltrace memusage multitime newgrp nsenter numactl parallel ' +
    'perf pgrphack pkexec prlimit proot proxychains proxychains4 rlwrap run-one run-parts runcon runuser script scriptreplay ' +
    'screen sem setarch setlock setpriv setuidgid sg softlimit ssh-agent sshpass start-stop-daemon strace su su-exec systemd-cat ' +
    'systemd-inhibit systemd-run taskset tini tmux torify torsocks toybox tsocks uclampset uname26 unbuffer unshare valgrind ' +
    'watch watchexec x86_64 xvfb-run'
  ).split(' '),
)

/** The loader of programs, which can be called as a program. */
const LOADER = /^ld-(?:linux|musl|elf).*\.so/

interface Wrapper {
  readonly flags?: RegExp
  /** Options whose value is the next word. */
  readonly valueFlags?: RegExp
  /** Words before the command, such as the duration of timeout. */
  readonly operands?: number
  readonly takesAssignments?: boolean
  /** Options after which nothing is started. */
  readonly inert?: RegExp
  readonly isTransparent: boolean
  /** Further arguments are read from the input. */
  readonly appends?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: { isTransparent: true },
  command: { flags: /^-p$/, inert: /^-[pvV]+$/, isTransparent: true },
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
  sudo: {
    flags: /^-[AEHnkS]+$/,
    valueFlags: /^-[ugp]$/,
    takesAssignments: true,
    inert: /^-[vV]$/,
    isTransparent: false,
  },
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
  const first = args[at] ?? ''
  const startsNothing = first === '--help' || first === '--version' || wrapper.inert?.test(first) === true
  if (first.startsWith('-')) return startsNothing ? undefined : problem(`the option ${first} is not known`)
  const assigned = takesAssignments ? args.slice(at).findIndex((arg) => !/^\w+=/.test(arg)) : 0
  const variables = args.slice(at, at + Math.max(assigned, 0)).map((arg) => arg.replace(/=.*/s, ''))
  const start = at + operands + variables.length
  const words = args.slice(start)
  // What is not quoted may become several words, and the last of them the program.
  if (args.slice(0, start).some((arg) => arg.includes(UNKNOWN)) || first.startsWith(UNKNOWN))
    return problem('the options are known only when it runs')
  if (words.length === 0) return undefined
  const reservations = variables.filter((name) => !isSafeVariable(name)).map((name) => `it sets ${name}`)
  const started = appends ? [...words.map((word) => word.replaceAll('{}', UNKNOWN)), UNKNOWN] : words
  return { commands: [started], isTransparent, reservations }
}

/** The index of the first word that is no option. */
function skipOptions(args: readonly string[], { flags, valueFlags }: Wrapper): number {
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') return at + 1
    if (valueFlags?.test(arg)) at++
    else if (!flags?.test(arg)) break
  }
  return at
}
