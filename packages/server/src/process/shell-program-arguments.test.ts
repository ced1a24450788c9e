import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { bashArguments, gitBashArguments, powershellArguments } from './shell-program.js'

const bash = execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim()

function run(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(bash, args, {
    env: { PATH: process.env.PATH },
    // If stdin is a socket, bash assumes it was started by sshd and reads ~/.bashrc.
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('bash', () => {
  test.each([
    ['out and err in order', 'echo 1; echo 2 >&2; echo 3', 0, '1\n2\n3\n'],
    ['the prefix of an error', 'nosuch', 127, 'bash: line 1: nosuch: command not found\n'],
    ['the line of an error', '\n\nnosuch', 127, 'bash: line 3: nosuch: command not found\n'],
    ['a dash in front', '-e', 127, 'bash: line 1: -e: command not found\n'],
    ['no traces of us', 'echo $0 $# "$*" $LINENO $SHLVL', 0, 'bash 0  1 1\n'],
  ])('%s', (_, command, status, stdout) => {
    expect(run(bashArguments(command))).toEqual({ status, stdout, stderr: '' })
  })

  test('a syntax error quotes only the command', () => {
    const { stdout } = run(bashArguments('if then'))
    expect(stdout.split('\n')[1]).toBe("bash: -c: line 1: `if then'")
  })

  test('BASH_ENV is read once, and exported functions arrive', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'scorpiox-bash-')), 'env')
    writeFileSync(file, 'echo read')
    const parent = `greet() { echo hello; }; export -f greet; BASH_ENV='${file}' exec "$BASH" "$@"`
    expect(run(['-c', parent, 'bash', ...bashArguments('greet')]).stdout).toBe('read\nhello\n')
  })
})

/** How libuv quotes an argument for the command line of Windows. */
function quoted(argument: string): string {
  if (!/[ \t"]/.test(argument)) return argument
  return `"${argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}

// Cygwin versions differ: within quotes, \\ is \ everywhere, or only before a quote.
const READINGS = {
  everywhere: (inner: string) => inner.replaceAll(/\\([\\"])/g, '$1'),
  'before a quote': (inner: string) =>
    inner.replaceAll(/(\\+)("|$)/g, (_, { length }: string, quote: string) => '\\'.repeat(length >> 1) + quote),
}

describe('Git Bash', () => {
  test.each(Object.entries(READINGS))('an argument arrives unchanged if backslashes are read %s', (_, reading) => {
    const unit = fc.constantFrom('\\', '"', "'", 'a', ' ', '*', '$', '\n')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (command) => {
        for (const argument of gitBashArguments(command)) {
          const line = quoted(argument)
          expect(line.startsWith('"') ? reading(line.slice(1, -1)) : line).toBe(argument)
        }
      }),
    )
  })

  test('the command is always quoted, so that it is not expanded', () => {
    expect(quoted(gitBashArguments('./run*').at(-1) ?? '')).toBe('" ./run*"')
  })

  test('backslashes are restored', () => {
    const command = String.raw`printf '%s|' 'a\\b' "c\"d" \\\\ '&' $'\x41' 'é'`
    expect(run(gitBashArguments(command)).stdout).toBe(String.raw`a\\b|c"d|\\|&|A|é|`)
    expect(run(gitBashArguments('nosuch')).stdout).toBe('bash: line 1: nosuch: command not found\n')
  })
})

describe('PowerShell', () => {
  const script = (command: string) =>
    Buffer.from(powershellArguments(command).at(-1) ?? '', 'base64').toString('utf16le')

  test('runs unattended, with text output and an encoded command', () => {
    const options = powershellArguments('ls').slice(0, -1).join(' ')
    expect(options).toBe(
      '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -OutputFormat Text -EncodedCommand',
    )
    expect(script('ls')).toContain('[Console]::OutputEncoding=')
    expect(script('ls')).toMatch(/exit \$LASTEXITCODE.+exit /)
  })

  test('every quote character of PowerShell is doubled, and the rest is unchanged', () => {
    expect(script(`echo 'it’s' "x" \`$y\n# end`)).toContain(
      `::Create('echo ''it’’s'' "x" \`$y\n# end\n$global:__ok=$?')`,
    )
  })
})
