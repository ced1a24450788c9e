// Compares the evaluation with bash itself: commands that the rules allow are run with stub programs that record their
// names, and none but the allowed programs may have been started. PERMISSION_RUNS sets the number of generated commands of
// the long variant;
// PERMISSION_CORPUS names a file with commands of a public corpus, separated by NUL, of which each is evaluated with a rule
// that allows its first program.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { evaluateCommand } from './evaluate-command.js'
import { parseRule } from './permission-rules.js'

const RUNS = 300
const LONG_RUNS = Number(process.env.PERMISSION_RUNS ?? 3000)
const ALLOWED = ['good', 'fine run']
const REAL_PROGRAMS = ['bash', 'sh', 'dash', 'env', 'timeout', 'nice', 'xargs', 'find', 'nohup', 'setsid', 'stdbuf']

const BUILTINS = 'declare export let local mapfile printf read readonly set shopt source test trap unset wait echo true'
const rules = [...ALLOWED, 'xargs', 'find .', 'env', ...BUILTINS.split(' ')]
  .map((text) => parseRule(`Bash(${text} *)`, 'allow', 'test'))
  .filter((rule) => typeof rule === 'object')

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'permissions-'))
  for (const name of ['good', 'fine', 'bad', 'worse']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s %s\\0' ${name} "$1" >> "$RECORD"\n`)
    chmodSync(join(folder, name), 0o755)
  }
  for (const name of REAL_PROGRAMS) {
    const path = ['/usr/bin', '/bin'].map((directory) => join(directory, name)).find(existsSync)
    if (path !== undefined) symlinkSync(path, join(folder, name))
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Name and first argument of each stub that was started. */
function runInBash(command: string): string[] {
  const record = join(folder, 'record')
  writeFileSync(record, '')
  const work = mkdtempSync(join(folder, 'work-'))
  // What is found if PATH is set to the current folder.
  symlinkSync(join(folder, 'bad'), join(work, 'good'))
  const env = { PATH: folder, RECORD: record, HOME: work, LANG: 'C.UTF-8' }
  spawnSync('/bin/bash', ['-c', command], { cwd: work, env, input: 'bad\n', timeout: 60_000, killSignal: 'SIGKILL' })
  return readFileSync(record, 'utf8').split('\0').filter(Boolean)
}

function startsForbidden(command: string): string[] {
  const env = new Set(['PATH', 'RECORD', 'HOME', 'LANG'])
  if (evaluateCommand(command, { rules, isExported: (name) => env.has(name) }).decision !== 'allow') return []
  return runInBash(command).filter((started) => !ALLOWED.some((text) => `${started} `.startsWith(`${text} `)))
}

const PROGRAMS = [
  'good',
  'fine run',
  'bad',
  "b''ad",
  '\\bad',
  '"bad"',
  "$'bad'",
  './bad',
  '$bad',
  '{bad,x}',
  'fine walk',
]
const WORDS = [
  'x',
  '-c',
  '--',
  '"a b"',
  "'c;bad'",
  '"$(bad)"',
  '$(good)',
  '`bad`',
  '<(bad)',
  '${x:-$(bad)}',
  '$((1+1))',
  '$x',
  'bad',
  '"',
  "'",
  '\\',
  '#',
  '# bad',
  '*',
  '~',
  '$',
  '{a,b}',
  '!',
  'a[$(bad)]',
  "'a[$(bad)]'",
  '-exec',
  '{}',
  '\\;',
  '+',
  "$'a\\'; bad #'",
  '"$z"',
  '$z',
  '-v "$z"',
  '[[ x || bad ]]',
  '&>/dev/null',
  'PATH=.',
  '((bad))',
  '${ bad; }',
  '!(bad)',
]
const JOINTS = ['; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ', ' ;; ', ' ', '', '\\\n', '\t']
const PREFIXES = [
  '',
  '',
  '',
  'timeout 5 ',
  'nice ',
  'env ',
  'env A=1 ',
  'A=1 ',
  'CI=1 ',
  'PATH=. ',
  'x=bad; ',
  'command ',
  'eval ',
  'exec ',
  'bash -c ',
  "bash -c '",
  'xargs ',
  'find . -exec ',
  '! ',
  'time ',
  'coproc ',
  'nohup ',
  'builtin ',
  'trap ',
  'trap -- ',
  'test -v ',
  'sh -c ',
  "dash -c '",
  'bash +c ',
  'bash -co posix ',
  'env -v ',
  'eval -- ',
  'printf -vPATH .; ',
  'printf -v PATH .; ',
  'export PATH=.; ',
  'export "$bad"; ',
  'read -aPATH; ',
  'declare -n good; good=PATH; good=.; ',
  'set -k; ',
  'set -a; ',
  "x='a[$'; y='(bad)]'; z=$x$y; ",
  'mapfile -c 1 -C ',
  'timeout 5$x ',
  "x='5 bad'; timeout $x ",
  'source <(echo ',
]
const WRAPS: readonly ((inner: string) => string)[] = [
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}; }`,
  (inner) => `if ${inner}; then ${inner}; fi`,
  (inner) => `for bad in good; do ${inner}; done`,
  (inner) => `while ${inner}; do break; done`,
  (inner) => `case x in x) ${inner};; esac`,
  (inner) => `good "$(${inner})"`,
  (inner) => `good <<E\n$(${inner})\nE\n`,
  (inner) => `good <<'E'\n${inner}\nE\n`,
  (inner) => `bash -c '${inner}'`,
  (inner) => `sh -c '${inner}'`,
  (inner) => `dash -c "${inner}"`,
  (inner) => `sh -c '[[ x || ${inner} ]]'`,
  (inner) => `test -v "$z"; ${inner}`,
  (inner) => `let "$z"; ${inner}`,
  (inner) => `declare -i n; n=$z; ${inner}`,
  (inner) => `bad() { ${inner}; }; bad`,
  (inner) => `eval "${inner}"`,
  (inner) => `good \`${inner}\``,
  (inner) => `[[ -n $(${inner}) ]]`,
]
const REDIRECTIONS = ['', '', '', ' >/dev/null', ' 2>&1', ' >x', ' <x', ' <<<x', ' > >(bad)', ' {fd}>x', ' >&x']

const pick = <T>(items: readonly T[]) => fc.constantFrom(...items)
const simple = fc
  .tuple(pick(PREFIXES), pick(PROGRAMS), fc.array(pick(WORDS), { maxLength: 3 }), pick(REDIRECTIONS))
  .map(([prefix, program, words, redirection]) => `${prefix}${[program, ...words].join(' ')}${redirection}`)
const list = fc
  .tuple(simple, fc.array(fc.tuple(pick(JOINTS), simple), { maxLength: 3 }))
  .map(([first, rest]) => first + rest.map(([joint, next]) => joint + next).join(''))
const compound = fc
  .tuple(pick(WRAPS), list, pick(JOINTS), simple)
  .map(([wrap, inner, joint, next]) => wrap(inner) + joint + next)
/** Tokens in any order: mostly invalid, but bash and the parser must agree on what is not. */
const tokens = fc
  .array(
    pick([
      ...PROGRAMS,
      ...WORDS,
      ...JOINTS,
      '(',
      ')',
      '{',
      '}',
      'if',
      'then',
      'fi',
      'do',
      'done',
      '<<E',
      'E',
      '$(',
      '${',
      '`',
      '((',
      '))',
      '[[',
      ']]',
      'in',
      'case',
      'esac',
      '=',
      'good() ',
      'function ',
    ]),
    {
      maxLength: 12,
    },
  )
  .chain((parts) => fc.constantFrom('', ' ').map((separator) => parts.join(separator)))

const GENERATORS = [
  ['simple commands and lists', list],
  ['compound commands', compound],
  ['tokens in any order', tokens],
] as const

function expectNothingForbidden(commands: fc.Arbitrary<string>, numRuns: number): void {
  fc.assert(
    fc.property(commands, (command) => {
      expect({ command, forbidden: startsForbidden(command) }).toEqual({ command, forbidden: [] })
    }),
    { numRuns },
  )
}

test.each(GENERATORS)('bash starts nothing that no rule allows: %s', (_, commands) =>
  expectNothingForbidden(commands, RUNS),
)

test.each(GENERATORS)('bash starts nothing that no rule allows, in many runs: %s', { tags: ['long'] }, (_, commands) =>
  expectNothingForbidden(commands, LONG_RUNS),
)

test('the comparison notices a program that no rule allows', () => {
  expect(runInBash('good a; fine run b; bad c; worse')).toEqual(['good a', 'fine run', 'bad c', 'worse '])
})

const CORPUS = process.env.PERMISSION_CORPUS ?? ''
const TRANSPARENT = new Set('env timeout nice ionice nohup setsid stdbuf bash sh dash ash ksh'.split(' '))
/**
 * Records each program instead of starting it: none is found, because PATH is empty. A program that is named by its path
 * is recorded before it starts.
 */
const RECORDER = String.raw`
command_not_found_handle() { builtin printf '%s\0' "$1" >> "$RECORD"; }
__record() {
  local word=${'$'}{1%%[[:space:]]*}
  case $word in *[=\"\']*) ;; */*) builtin printf '%s\0' "$word" >> "$RECORD" ;; esac
}
set -T
trap '__record "$BASH_COMMAND"' DEBUG
`

/** Builtins such as kill are run for real, so nothing outside may be within reach. */
function runConfined(command: string): string[] {
  const record = join(folder, 'record')
  writeFileSync(record, '')
  const confinement = ['--ro-bind', '/', '/', '--tmpfs', '/tmp', '--dev', '/dev', '--proc', '/proc', '--unshare-all']
  const args = [...confinement, '--bind', folder, folder, '--chdir', folder, '--cap-drop', 'ALL', '--die-with-parent']
  const { error } = spawnSync('bwrap', [...args, '/bin/bash', '-c', RECORDER + command], {
    env: { PATH: '/usr/bin:/bin', RECORD: record, HOME: folder },
    input: '',
    timeout: 5000,
    killSignal: 'SIGKILL',
  })
  if (error && 'code' in error && error.code === 'ENOENT') throw error
  return readFileSync(record, 'utf8').split('\0').filter(Boolean)
}

test.each(CORPUS === '' ? [] : [CORPUS])(
  'bash starts nothing but the allowed program: commands of %s',
  { timeout: 3_600_000 },
  (file) => {
    expect(runConfined('PATH=/nonexistent; a; b; /bin/true x; c=/x')).toEqual(['a', 'b', '/bin/true'])
    const commands = [...new Set(readFileSync(file, 'utf8').split('\0').filter(Boolean))]
    const decisions = { allow: 0, ask: 0, deny: 0, run: 0 }
    const bypasses = commands.flatMap((command) => {
      const [program = ''] = /^[\w./-]+/.exec(command.trim()) ?? []
      const rule = parseRule(`Bash(${program} *)`, 'allow', 'corpus')
      if (program === '' || typeof rule !== 'object') return []
      const { decision } = evaluateCommand(command, { rules: [rule], isExported: (name) => name === 'PATH' })
      decisions[decision]++
      if (decision !== 'allow') return []
      decisions.run++
      const started = runConfined(`PATH=/nonexistent\n${command}`)
      return started.some((name) => name !== program && !TRANSPARENT.has(name)) ? [{ command, started }] : []
    })
    console.log(commands.length, decisions)
    expect(bypasses).toEqual([])
  },
)
