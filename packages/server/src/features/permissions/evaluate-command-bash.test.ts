// Compares the evaluation with bash itself: commands that the rules allow are run with stub programs that record their
// names, and none but the allowed programs may have been started. PERMISSION_RUNS sets the number of generated commands;
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

const RUNS = Number(process.env.PERMISSION_RUNS ?? 3000)
const ALLOWED = ['good', 'fine run']
const REAL_PROGRAMS = ['bash', 'sh', 'env', 'timeout', 'nice', 'xargs', 'find', 'nohup', 'setsid', 'stdbuf']

const rules = [...ALLOWED, 'xargs', 'find .', 'true', 'test', 'echo']
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
  const env = { PATH: folder, RECORD: record, HOME: work, LANG: 'C.UTF-8' }
  spawnSync('/bin/bash', ['-c', command], { cwd: work, env, input: 'bad\n', timeout: 5000, killSignal: 'SIGKILL' })
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
  'test -v ',
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

test.each([
  ['simple commands and lists', list],
  ['compound commands', compound],
  ['tokens in any order', tokens],
])('bash starts nothing that no rule allows: %s', (_, commands) => {
  fc.assert(
    fc.property(commands, (command) => {
      expect({ command, forbidden: startsForbidden(command) }).toEqual({ command, forbidden: [] })
    }),
    { numRuns: RUNS },
  )
})

test('the comparison notices a program that no rule allows', () => {
  expect(runInBash('good a; fine run b; bad c; worse')).toEqual(['good a', 'fine run', 'bad c', 'worse '])
})

const CORPUS = process.env.PERMISSION_CORPUS ?? ''
const TRANSPARENT = new Set('env timeout nice ionice nohup setsid stdbuf bash sh dash ash ksh zsh'.split(' '))
/** Records each program instead of starting it: none is found, because PATH is empty. */
const RECORDER = 'command_not_found_handle() { builtin printf "%s\\0" "$1" >> "$RECORD"; }\n'

test.each(CORPUS === '' ? [] : [CORPUS])(
  'bash starts nothing but the allowed program: commands of %s',
  { timeout: 3_600_000 },
  (file) => {
    const commands = [...new Set(readFileSync(file, 'utf8').split('\0').filter(Boolean))]
    const decisions = { allow: 0, ask: 0, deny: 0 }
    const bypasses = commands.flatMap((command) => {
      const [program = ''] = /^[\w./-]+/.exec(command.trim()) ?? []
      const rule = parseRule(`Bash(${program} *)`, 'allow', 'corpus')
      if (program === '' || typeof rule !== 'object') return []
      const { decision } = evaluateCommand(command, { rules: [rule], isExported: (name) => name === 'PATH' })
      decisions[decision]++
      if (decision !== 'allow') return []
      const record = join(folder, 'record')
      writeFileSync(record, '')
      const env = { PATH: '/nonexistent', RECORD: record, HOME: folder }
      spawnSync('/bin/bash', ['-c', RECORDER + command], {
        cwd: folder,
        env,
        input: '',
        timeout: 5000,
        killSignal: 'SIGKILL',
      })
      const started = readFileSync(record, 'utf8').split('\0').filter(Boolean)
      return started.some((name) => name !== program && !TRANSPARENT.has(name)) ? [{ command, started }] : []
    })
    console.log(commands.length, decisions)
    expect(bypasses).toEqual([])
  },
)
