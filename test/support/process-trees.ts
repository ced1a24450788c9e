// Starts process trees, one per command, and lists what is left of them. Every process records its pid, and all
// descendants of a server, its helpers included, have its folder in their environment.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { emptyFolder, startServer, type TestClient } from './client.js'
import { eventually } from './eventually.js'

/** Processes of a tree, its shell included. */
const SIZE = 5

// Each process sleeps for minutes unless it is ended. Its start time distinguishes it from a later one with its pid.
const SCRIPT = String.raw`
me() { local stat; read -ra stat <"/proc/$BASHPID/stat"; echo "$BASHPID ${'${stat[21]}'} ${'${KIND:-shell}'}" >>"$TREE"; }
stay() { me; exec sleep 300; }
stubborn() { trap "" TERM; stay; }
anew() { trap 'bash -c stay & exit' TERM; me; sleep 300 & wait; }
export -f me stay stubborn anew

tree() {
  export TREE=$PWD/trees/$1
  local kind
  for kind in "${'${@:2}'}"; do KIND=$kind grow_$kind; done
  me
}
`

const KINDS = {
  child: 'bash -c stay &',
  elsewhere: 'bash -c stay >/dev/null 2>&1 &',
  session: 'setsid bash -c stay &',
  nohup: 'nohup setsid bash -c stay >/dev/null 2>&1 &',
  daemon: "(setsid bash -c 'bash -c stay & disown' </dev/null >/dev/null 2>&1 &)",
  limited: 'timeout 300 bash -c stay &',
  deaf: 'bash -c stubborn &',
  deaf_daemon: '(setsid bash -c stubborn </dev/null >/dev/null 2>&1 &)',
  deaf_limited: 'timeout 300 bash -c stubborn &',
  substitution: 'cat <(stay) >/dev/null &',
  group: '(set -m; bash -c stay & wait) &',
  stopped: "bash -c 'me; kill -STOP $$; exec sleep 300' &",
  forking: 'bash -c anew &',
  forking_daemon: '(setsid bash -c anew </dev/null >/dev/null 2>&1 &)',
  changed: 'env -u LANG PATH="$PATH:/x" ANOTHER=1 bash -c stay &',
  chain: `bash -c 'exec bash -c "exec env A=1 bash -c stay"' &`,
}
const NAMES = Object.keys(KINDS)
const FUNCTIONS = Object.entries(KINDS).map(([name, body]) => `grow_${name}() { ${body}\n}\n`)

export interface ProcessTrees {
  readonly folder: string
  /** A server in the directory of the trees. */
  start(env?: NodeJS.ProcessEnv): TestClient
  /** A command that starts a tree and stays, or leaves it behind. */
  command(tree: number, isLeft?: boolean): string
  /** Waits until this many trees have all of their processes. */
  waitUntilStarted(count: number): Promise<void>
  /** All except servers that should run. */
  survivors(except?: TestClient): Survivors
  /** The same when nothing is left, or after a time limit. */
  waitUntilGone(ms: number, except?: TestClient): Promise<Survivors>
  /** Temporary files of servers that were not removed. */
  leftoverFiles(): readonly string[]
}

export interface Survivors {
  /** Processes that recorded their identity. */
  readonly known: readonly string[]
  /** Processes with a tag. */
  readonly tagged: readonly string[]
  /** Servers and their helpers. */
  readonly helpers: readonly string[]
}

export const NO_SURVIVORS: Survivors = { known: [], tagged: [], helpers: [] }

export function createProcessTrees(): ProcessTrees {
  const folder = emptyFolder()
  for (const name of ['project', 'project/trees', 'home', 'tmp']) mkdirSync(join(folder, name))
  const cwd = join(folder, 'project')
  writeFileSync(join(cwd, 'trees.sh'), `${FUNCTIONS.join('')}${SCRIPT}`)
  const written = (): readonly string[][] =>
    readdirSync(join(cwd, 'trees')).map((name) =>
      readFileSync(join(cwd, 'trees', name), 'utf8')
        .split('\n')
        .slice(0, -1),
    )

  function survivors(except?: TestClient): Survivors {
    const found = processesOf(folder).filter(({ pid }) => pid !== except?.child.pid)
    const tagged = found.filter(({ environment }) => environment.includes('\0SCORPIOX_TREE='))
    const helpers = found.filter((each) => !tagged.includes(each))
    return {
      known: few(
        written()
          .flat()
          .filter(isRunning)
          .map((owner) => `${owner} ${describe(Number(owner.split(' ')[0]))}`),
      ),
      tagged: few(tagged.map(nameOf)),
      helpers: few(helpers.map(nameOf)),
    }
  }

  return {
    folder,
    start: (env) => startServer({ cwd, env: { HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp'), ...env } }),
    command(tree, isLeft = false) {
      const kinds = Array.from({ length: SIZE - 1 }, (_, index) => NAMES[(tree * 7 + index * 3) % NAMES.length])
      const rest = isLeft ? `until [[ $(wc -l <$TREE) = ${SIZE} ]]; do sleep 0.1; done` : 'wait; sleep 300'
      return `. ./trees.sh; tree ${tree} ${kinds.join(' ')}; ${rest}`
    },
    async waitUntilStarted(count) {
      const whole = (): number => written().filter((lines) => lines.length >= SIZE).length
      await eventually(whole, (started) => started >= count)
    },
    survivors,
    async waitUntilGone(ms, except) {
      const isEmpty = (left: Survivors): boolean => Object.values(left).flat().length === 0
      return eventually(() => survivors(except), isEmpty, ms).catch(() => survivors(except))
    },
    leftoverFiles: () => readdirSync(join(folder, 'tmp')),
  }
}

function few(names: readonly string[]): readonly string[] {
  return names.length > 20 ? [...names.slice(0, 20), `and ${names.length - 20} more`] : names
}

interface Found {
  readonly pid: number
  readonly environment: string
}

function processesOf(folder: string): readonly Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), environment: `\0${contentOf(`/proc/${name}/environ`)}` }))
    .filter(({ environment }) => environment.includes(folder))
}

function nameOf({ pid }: Found): string {
  return `${pid} ${describe(pid)}`
}

/** Its state and command line. */
function describe(pid: number): string {
  const [, state = 'gone'] = /\) (\S)/.exec(contentOf(`/proc/${pid}/stat`)) ?? []
  return `(${state}) ${contentOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)}`
}

/** As a process records itself: its pid and its start time. */
function isRunning(owner: string): boolean {
  const [pid, startedAt] = owner.split(' ')
  const fields = contentOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields[19] === startedAt && fields[0] !== 'Z'
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
