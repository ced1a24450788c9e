// Script skills run by a real bash: the interpreter gets the script unchanged, and arguments are never code.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { needs } from '../../../../../test/support/runtime.js'
import { buildScriptCommand } from './skill-script.js'

const HAS_BASH = process.platform !== 'win32'

function run(body: string, args = '', cwd = tmpdir()): string {
  const file = join(mkdtempSync(join(tmpdir(), 'script-')), 'command')
  writeFileSync(file, buildScriptCommand({ body, directory: '/srv/it', args }))
  return execFileSync('bash', [file], { cwd, encoding: 'utf8', input: '' })
}

describe('a script', needs(HAS_BASH ? undefined : 'there is no bash'), () => {
  test.each([
    ['bash', '#!/usr/bin/env bash\nprintf "%s|" "$#" "$1" "$ARGUMENTS" "$SKILL_DIR"; cat\n'],
    ['sh', '#!/bin/sh -e\nprintf "%s|" "$#" "$1" "$ARGUMENTS" "$SKILL_DIR"; cat\n'],
    [
      'node',
      `#!/usr/bin/env node\nconst { argv, env } = process; process.stdout.write([argv.length - 2, argv[2], env.ARGUMENTS, env.SKILL_DIR, ''].join('|')); process.stdin.pipe(process.stdout)\n`,
    ],
    [
      'node with flags',
      `#!/usr/bin/env -S node --no-warnings\nconst { argv, env } = process; process.stdout.write([argv.length - 2, argv[2], env.ARGUMENTS, env.SKILL_DIR, ''].join('|'))\n`,
    ],
    [
      'node with a variable',
      `#!/usr/bin/env -S A=1 B=2 node --no-warnings\nconst { argv, env } = process; process.stdout.write([argv.length - 2, argv[2], env.ARGUMENTS, env.SKILL_DIR, ''].join('|'))\n`,
    ],
  ])('in %s gets its arguments as one argument, its folder, and an empty stdin', (_, body) => {
    expect(run(body, `a 'b' "c" $(id) \`id\` \\ $x`)).toBe(
      `1|a 'b' "c" $(id) \`id\` \\ $x|a 'b' "c" $(id) \`id\` \\ $x|/srv/it|`,
    )
  })

  test('never executes its arguments', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
    const nasty = fc.constantFrom(
      "'",
      '"',
      '`',
      '$(touch pwned)',
      '`touch pwned`',
      '; touch pwned;',
      '\n',
      '\ntouch pwned\n',
      'END_OF_SKILL',
      '\nEND_OF_SKILL\ntouch pwned\n',
      '\\',
      '$IFS',
      '&',
      '|',
      '<(touch pwned)',
      '${x:=y}',
      '!!',
      '*',
      '~',
      '\u00e9',
      '-e',
      '--',
      '#',
    )
    const args = fc
      .array(fc.oneof(nasty, fc.string({ unit: 'grapheme' })))
      .map((parts) => parts.join('').replaceAll('\0', ''))
    fc.assert(
      fc.property(args, (given) => {
        const expected = given.toWellFormed()
        expect(run('#!/bin/bash\nprintf %s "$1"; printf "\\x01"; printf %s "$ARGUMENTS"', expected, folder)).toBe(
          `${expected}\u0001${expected}`,
        )
      }),
      { numRuns: 60 },
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test('reaches the interpreter unchanged', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('END_OF_SKILL', 'END_OF_SKILL_', "'", '"$x"', '`id`', '$(id)', '\\', '\\\\n', '', '\t'),
    )
    const text = fc.array(line).map((lines) =>
      lines
        .join('\n')
        .replaceAll(/[\0\r]/g, '')
        .toWellFormed(),
    )
    fc.assert(
      fc.property(text, (given) => {
        // An interpreter that prints its input.
        const body = `#!/bin/cat\n${given}`
        const shown = run(body, '/dev/null')
        expect(shown).toBe(body.endsWith('\n') ? body : `${body}\n`)
      }),
      { numRuns: 60 },
    )
  })

  test('may have the maximum size of a SKILL.md', () => {
    const body = `#!/bin/bash\n${`: ${'x'.repeat(98)}\n`.repeat(2500)}echo done`
    expect(run(body)).toBe('done\n')
  })

  test('keeps its exit code', () => {
    expect(() => run('#!/bin/sh\nexit 3\n')).toThrow(expect.objectContaining({ status: 3 }))
    expect(() => run('#!/no/such/program\n')).toThrow(expect.objectContaining({ status: 127 }))
  })

  test('begins with its name, for the list of tasks', () => {
    expect(buildScriptCommand({ body: '#!/bin/sh\n', directory: '/srv/it', args: '' })).toMatch(/^# skill it\n/)
  })

  test('without an interpreter is a failure', () => {
    expect(() => buildScriptCommand({ body: '#!  \necho', directory: '', args: '' })).toThrow('names no program')
  })
})
