// The shell launcher as a process: what it reports, what a command can do to it, and that its programs are built from its
// source. The messages are tested apart from it.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'

import { needs } from '../../../../../test/support/runtime.js'
import { eventually } from '../../../../../test/support/eventually.js'
import type { PooledShell } from '../pooled-shell.js'
import { READ_COMMAND } from '../supervisor.js'
import { createReportReader, formatStartRequest } from './launcher-messages.js'
import { loadLauncherProgram } from './launcher-program.js'
import { type LaunchRequest, type ShellLauncher, startShellLauncher } from './shell-launcher.js'

const ROOT = resolve(import.meta.dirname, '../../../../..')
const argv = ['/bin/bash', '-c', READ_COMMAND, 'bash']
const PLAIN = { seccompFile: '', cgroupFiles: [], argv }
const canRun = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
const launchers: ShellLauncher[] = []

afterEach(() => {
  for (const launcher of launchers.splice(0)) launcher.close()
})

async function open(env: NodeJS.ProcessEnv = { PATH: process.env.PATH }): Promise<ShellLauncher> {
  const launcher = await tryOpen(env)
  if (!launcher) throw new Error('the launcher did not start')
  launchers.push(launcher)
  return launcher
}

async function tryOpen(env: NodeJS.ProcessEnv, bash = '/bin/bash'): Promise<ShellLauncher | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'scorpiox-launcher-'))
  const launcher = await startShellLauncher({ directory, cwd: '/', env, commandTags: ';tag-', bash })
  rmSync(directory, { recursive: true })
  return launcher
}

function start(launcher: ShellLauncher, request: LaunchRequest = PLAIN): PooledShell {
  const shell = launcher.start(request, false)
  if (!shell) throw new Error('the launcher refused the shell')
  return shell
}

async function run(launcher: ShellLauncher, command: string): Promise<{ output: string; status: number | undefined }> {
  const chunks: Buffer[] = []
  const shell = start(launcher)
  shell.run(command, (chunk) => void chunks.push(chunk))
  const status = await shell.exited
  await shell.closed
  return { output: Buffer.concat(chunks).toString(), status }
}

describe('a launched shell', needs(canRun ? undefined : 'the shell launcher is for Linux on x64 and arm64'), () => {
  test('has the environment with its tag and key, and its own process group', async () => {
    const launcher = await open({ PATH: process.env.PATH, A: 'b', SCORPIOX_TREE: 'old', SCORPIOX_ASKPASS_KEY: 'old' })
    const shell = start(launcher)
    let output = ''
    shell.run('env | sort; [[ $(ps -o pgid= $$) -eq $$ ]] && echo leader', (chunk) => {
      output += chunk.toString()
    })
    expect(await shell.exited).toBe(0)
    expect(output).toContain('\nA=b\n'.trimStart())
    expect(output).toContain(`SCORPIOX_TREE=;tag-${shell.name};\n`)
    expect(output).toContain(`SCORPIOX_ASKPASS_KEY=${shell.askpassKey}\n`)
    expect(output.match(/SCORPIOX_/g)).toHaveLength(2)
    expect(output).toMatch(/\nleader\n$/)
  })

  test.each([
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['exec >&- 2>&-; sleep 0.1; exit 3', 3],
  ])('%s', async (command, status) => {
    expect(await run(await open(), command)).toEqual({ output: '', status })
  })

  test('prints megabytes while others run', async () => {
    const launcher = await open()
    const large = run(launcher, 'head -c 30000000 /dev/zero | tr "\\0" x')
    const small = await Promise.all([1, 2, 3, 4, 5].map((n) => run(launcher, `echo ${n}; exit ${n}`)))
    expect(small).toEqual([1, 2, 3, 4, 5].map((n) => ({ output: `${n}\n`, status: n })))
    expect((await large).output.length).toBe(30_000_000)
  })

  test('is not read while it is paused', async () => {
    const shell = start(await open())
    let length = 0
    shell.run('head -c 5000000 /dev/zero', (chunk) => {
      length += chunk.length
      shell.pause()
      setTimeout(shell.resume, 1)
    })
    expect(await shell.exited).toBe(0)
    await shell.closed
    expect(length).toBe(5_000_000)
  })

  test('that has left children says so, and its output closes with them', async () => {
    const launcher = await open()
    const shell = start(launcher)
    shell.run('(sleep 0.5; echo late) & echo early', () => {})
    await shell.exited
    expect(shell.hasLeftChildren).toBe(true)
    await shell.closed
    // Its children have exited, and do not count for the next one.
    await eventually(async () => {
      const next = start(launcher)
      next.run('true', () => {})
      await next.exited
      return next.hasLeftChildren === false
    })
  })

  test('that was killed before it got its command has not run it', async () => {
    const shell = start(await open())
    const other = start(await open())
    other.run('true', () => {})
    await other.exited
    shell.run('echo ran', () => {})
    const pid = await shell.started
    expect([typeof pid, await shell.exited, shell.isWithdrawn]).toEqual(['number', 0, false])
    const killed = start(await open())
    killed.discard()
    await killed.exited
    killed.run('echo ran', () => {})
    expect(killed.isWithdrawn).toBe(true)
  })

  test('that is not needed exits without a command', async () => {
    const shell = start(await open())
    shell.discard()
    expect(await shell.exited).toBe(0)
  })

  test('that cannot be started has the error of the system', async () => {
    const shell = start(await open(), { ...PLAIN, argv: ['/nonexistent/bash'] })
    expect(await shell.started).toBeUndefined()
    expect([shell.isWithdrawn, shell.startError]).toMatchObject([true, { code: 'ENOENT' }])
    const unconfined = start(await open(), { ...PLAIN, cgroupFiles: ['/nonexistent/cgroup.procs'] })
    expect(await unconfined.started).toBeUndefined()
  })

  test('for a later command starts with it', async () => {
    const launcher = await open()
    const next = launcher.start(PLAIN, true)
    expect(await run(launcher, 'echo now')).toEqual({ output: 'now\n', status: 0 })
    let output = ''
    next?.run('echo later', (chunk) => (output += chunk.toString()))
    expect(await next?.exited).toBe(0)
    expect(output).toBe('later\n')
  })
})

describe('a command', needs(canRun ? undefined : 'the shell launcher is for Linux on x64 and arm64'), () => {
  test('that kills the launcher ends without a status, and no shell is started by it any more', async () => {
    const launcher = await open()
    const shell = start(launcher)
    shell.run('kill -KILL $(cut -d" " -f4 /proc/$PPID/stat); sleep 0.2', () => {})
    expect(await shell.exited).toBeUndefined()
    await eventually(() => !launcher.isOpen)
    expect(() => launcher.start(PLAIN, false)).toThrow('no shell could be prepared')
  })

  test('that kills its parent is waited for all the same', async () => {
    expect(await run(await open(), 'kill -KILL $PPID; sleep 0.1; echo on; exit 5')).toEqual({
      output: 'on\n',
      status: 5,
    })
  })

  test('that stops the launcher, or sends it other signals, does not delay the next', async () => {
    const launcher = await open()
    const pids = '$PPID $(cut -d" " -f4 /proc/$PPID/stat)'
    const signals = ['TERM', 'INT', 'HUP', 'USR1', 'PIPE', 'STOP'].map((name) => `kill -${name} ${pids}`)
    expect(await run(launcher, `${signals.join('; ')}; echo done`)).toEqual({ output: 'done\n', status: 0 })
    expect(await run(launcher, 'echo next')).toEqual({ output: 'next\n', status: 0 })
  })

  test('runs on when the launcher is closed, and its output arrives', async () => {
    const launcher = await open()
    const running = run(launcher, 'sleep 0.3; echo end')
    await sleep(100)
    launcher.close()
    expect(await running).toEqual({ output: 'end\n', status: 0 })
  })
})

describe('messages', () => {
  test('arrive whole, however the bytes are divided', () => {
    const report = (kind: string, number: number, value: number, payload = ''): Buffer => {
      const header = Buffer.alloc(16)
      ;[kind.charCodeAt(0), number, value, payload.length].forEach((part, index) =>
        header.writeUInt32LE(part, index * 4),
      )
      return Buffer.concat([header, Buffer.from(payload)])
    }
    const kinds = fc.constantFrom('S', 'F', 'Z', 'X', 'O')
    const sent = fc.array(fc.tuple(kinds, fc.nat(9), fc.nat(1000), fc.string({ unit: 'binary-ascii', maxLength: 40 })))
    fc.assert(
      fc.property(sent, fc.array(fc.integer({ min: 1, max: 30 })), (messages, sizes) => {
        const received: unknown[] = []
        const outputs: string[] = []
        const read = createReportReader({
          onReport: (kind, number, value) => void received.push([kind, number, value]),
          onOutput: (number, chunk) => void outputs.push(`${number}${chunk.toString('latin1')}`),
        })
        const bytes = Buffer.concat(
          messages.map(([kind, number, value, text]) => report(kind, number, value, kind === 'O' ? text : '')),
        )
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % Math.max(sizes.length, 1)] ?? bytes.length
          read(bytes.subarray(at, at + size))
          at += size
        }
        expect(received).toEqual(
          messages.filter(([kind]) => kind !== 'O').map(([kind, number, value]) => [kind, number, value]),
        )
        const texts = messages.filter(([kind]) => kind === 'O').map(([, , , text]) => text)
        expect(outputs.map((output) => output.slice(1)).join('')).toBe(texts.join(''))
      }),
    )
  })

  test('that are too large are left to the supervisor', () => {
    const key = { askpassKey: 'k' }
    expect(formatStartRequest('S', 1, { ...PLAIN, ...key, argv: ['x'.repeat(200_000)] })).toBeUndefined()
    expect(
      formatStartRequest('S', 1, { ...PLAIN, ...key, argv: Array.from({ length: 5000 }, () => 'x') }),
    ).toBeUndefined()
    expect(formatStartRequest('S', 1, { ...PLAIN, ...key })).toBeInstanceOf(Buffer)
  })
})

test.each(['x64', 'arm64'])('the program for %s is a static executable of a few kilobytes', async (architecture) => {
  const program = await loadLauncherProgram(architecture)
  expect(program?.subarray(0, 4).toString('latin1')).toBe('\u007fELF')
  expect(program?.length).toBeLessThan(10_000)
  // No interpreter (PT_INTERP), which every program with shared libraries has.
  expect(program?.includes('ld-linux')).toBe(false)
})

test(
  'where it cannot start a shell, it is not used',
  needs(canRun ? undefined : 'the shell launcher is for Linux on x64 and arm64'),
  async () => {
    expect(await tryOpen({}, '/bin/false')).toBeUndefined()
    expect(await tryOpen({}, '/nonexistent/bash')).toBeUndefined()
  },
)

test('there is none for other processors', async () => {
  expect(await loadLauncherProgram('riscv64')).toBeUndefined()
})

test('the programs are what the committed source gives', (context) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/launcher.mjs'), '--check'], {
    encoding: 'utf8',
  })
  context.skip(status === 69, stderr.split('\n')[0])
  expect(`${stdout}${stderr}`).not.toContain('DIFFERS')
  expect(status).toBe(0)
})

const QEMU = '/usr/bin/qemu-aarch64-static'
const hasQemu = spawnSync(QEMU, ['--version']).status === 0

test(
  'the program for arm64 answers (qemu-user-static)',
  needs(hasQemu && process.arch !== 'arm64' ? undefined : 'qemu-user-static is not installed'),
  async () => {
    const program = await loadLauncherProgram('arm64')
    const folder = mkdtempSync(join(tmpdir(), 'scorpiox-launcher-'))
    try {
      writeFileSync(join(folder, 'launcher'), program ?? '', { mode: 0o700 })
      const script = `: | ${QEMU} ${folder}/launcher ';tag-' 3<&0 4>${folder}/out`
      expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
      expect(readFileSync(join(folder, 'out')).subarray(0, 1).toString()).toBe('H')
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
