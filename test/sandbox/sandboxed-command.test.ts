// The sandbox as its callers use it: what works in it, its limits, its cleanup, and that it is complete or refused.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { listProjectNames } from '@scorpiox/server/clients/client-paths'
import type { SandboxedCommand } from '@scorpiox/server/process/shell-pool'
import type { WriteGrants } from '@scorpiox/server/sandbox/command-factory'
import { openSandbox, type Sandbox, type SandboxPolicy, wrapCommand } from '@scorpiox/server/sandbox/sandbox'
import type { ActiveSandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import { childrenOf, PROGRAM, waitForExit } from '../support/client.js'
import { advanceMonotonicClock } from '../support/clock.js'
import { eventually } from '../support/eventually.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { RUNTIME_FLAGS } from '../support/runtime.js'

const LEVELS: readonly ActiveSandboxLevel[] = ['read-only', 'workspace', 'strict']
const MEGABYTE = 2 ** 20
/** The names that an empty project has while a sandbox is open. */
const PLACEHOLDERS = [
  ...new Set(['.agents', '.scorpiox', 'commondir', 'refs', 'scorpiox-env.txt', ...listProjectNames()]),
].sort()

/** Outside /tmp, which the sandbox replaces. */
let base: string
const opened: Sandbox[] = []

beforeAll(() => {
  base = mkdtempSync('/var/tmp/scorpiox-cage-')
})

afterAll(async () => {
  for (const sandbox of opened) await sandbox.close()
  rmSync(base, { recursive: true, force: true })
})

function folder(): string {
  return mkdtempSync(join(base, 'f-'))
}

interface OpenSandbox {
  readonly sandbox: Sandbox
  readonly home: string
  readonly project: string
}

async function open(
  change: (directories: { home: string; project: string }) => Partial<SandboxPolicy> = () => ({}),
): Promise<OpenSandbox> {
  const home = folder()
  const project = join(home, 'project')
  mkdirSync(project)
  const policy: SandboxPolicy = {
    levels: LEVELS,
    project,
    home,
    workFolder: join(home, '.scorpiox', 'sandbox'),
    hidden: [join(home, '.scorpiox')],
    writable: [],
    readable: [],
    readOnly: [],
    pids: 128,
    memoryBytes: 512 * MEGABYTE,
    env: process.env,
    ...change({ home, project }),
  }
  const sandbox = await openSandbox(policy)
  opened.push(sandbox)
  return { sandbox, home, project: policy.project }
}

interface Outcome {
  readonly text: string
  readonly code: number | null
}

async function run(
  { sandbox, project }: OpenSandbox,
  level: ActiveSandboxLevel,
  command: string,
  grants?: WriteGrants,
): Promise<Outcome> {
  const sandboxed = sandbox.create(level, grants)
  try {
    const child = start(sandboxed, project, command)
    const chunks: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    return { text: Buffer.concat(chunks).toString().trim(), code }
  } finally {
    sandboxed.release()
  }
}

function start(sandboxed: SandboxedCommand, cwd: string, command: string): ChildProcess {
  const [file = '', ...args] = wrapCommand(sandboxed, [sandboxed.bash, '-c', `${sandboxed.shellPrelude}${command}`])
  return spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
}

describe('a sandboxed command', requires(SANDBOX), () => {
  test('is verified within half a second, and reports what is in force', async () => {
    const { sandbox } = await open()
    expect(sandbox.report).toMatchObject({ levels: LEVELS, program: expect.stringMatching(/^bubblewrap [\d.]+$/) })
    expect(sandbox.report.escapesTried).toBeGreaterThanOrEqual(12)
    expect(sandbox.report.pids).not.toBe('nothing')
  })

  test('runs the usual programs', async () => {
    const setup = await open()
    const { text } = await run(
      setup,
      'workspace',
      `set -e
      git init -q . && git config --local core.bare >/dev/null && echo a >a && git add a
      git -c user.name=x -c user.email=x@x commit -qm one && git log --oneline | wc -l
      node -e 'require("child_process").execSync("echo from node", { stdio: "inherit" })'
      { echo words >/dev/stderr; } 2>&1 | cat; mktemp -u; echo $((1 + 1)) | tee /dev/null; cat /etc/resolv.conf >/dev/null; tty || true
      sleep 0.01 & wait; ls /proc/self/fd | wc -l; df /tmp | tail -1 | grep -o /tmp`,
    )
    expect(text).toMatch(/^1\nfrom node\n/)
    expect(text).toContain('words')
    expect(text).toMatch(/\/tmp\/tmp\./)
    expect(text).toMatch(/\/tmp$/)
  })

  test('writes to the project if allowed, and nowhere else', async () => {
    const setup = await open()
    const write = 'echo x >here; echo $?; echo x >"$HOME/there"; echo $?; echo x >/tmp/t && echo scratch'
    expect((await run(setup, 'read-only', write)).text).not.toMatch(/^0/m)
    expect((await run(setup, 'workspace', `${write} 2>/dev/null`)).text).toMatch(/^0\n/)
    expect((await run(setup, 'strict', `${write} 2>/dev/null`)).text).toMatch(/^0\n/)
    expect(readdirSync(setup.home).sort()).toEqual(['.scorpiox', 'project'])
    expect((await run(setup, 'strict', 'ls /tmp')).text).toBe('')
  })

  test('writes to granted folders, but not to protected paths in them', async () => {
    const setup = await open()
    const granted = folder()
    mkdirSync(join(granted, '.claude'))
    const command = `echo x >'${granted}/new'; echo x >'${granted}/.claude/new'; ls -A '${granted}' '${granted}/.claude'`
    expect((await run(setup, 'read-only', command, { writable: [granted] })).text).toContain('new')
    expect(readdirSync(granted).sort()).toEqual(['.claude', 'new'])
    expect(readdirSync(join(granted, '.claude'))).toEqual([])
    expect(() => setup.sandbox.create('workspace', { writable: [setup.home] })).toThrow('would allow an escape')
    expect(() => setup.sandbox.create('workspace', { writable: ['/nowhere'] })).toThrow('cannot be opened')
  })

  test('cannot create settings beside the program or in granted folders that the server would read', async () => {
    const setup = await open(({ home, project }) => {
      const [granted, beside, whole] = [join(home, '.claude'), join(project, 'bin'), join(project, 'dist')]
      for (const path of [granted, beside, whole]) mkdirSync(path)
      writeFileSync(join(beside, 'program'), 'ours')
      const controlFiles = [granted, beside, whole].flatMap((path) => [
        join(path, 'settings.txt'),
        join(path, 'profiles'),
      ])
      return { writable: [granted], readOnly: [join(beside, 'program'), whole], controlFiles }
    })
    const { home, project, sandbox } = setup
    const tries = [join(home, '.claude'), 'bin', 'dist'].map(
      (path) =>
        `cd ${path}; echo x > settings.txt; mkdir profiles; echo x > profiles/p; rmdir profiles settings.txt; cd - ; ` +
        `mv ${path} moved; mkdir -p ${path}; echo x > ${path}/settings.txt; touch ${path}/honest; `,
    )
    await run(setup, 'workspace', tries.join(''))
    await sandbox.close()
    expect(readdirSync(join(home, '.claude'))).toEqual(['honest'])
    expect(readdirSync(join(project, 'bin')).toSorted()).toEqual(['honest', 'program'])
    expect(readdirSync(join(project, 'dist'))).toEqual([])
  })

  test('has the network of the host, unless it is strict', async () => {
    const setup = await open()
    const server = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
    expect((await run(setup, 'read-only', ask)).text).toBe('hello')
    expect((await run(setup, 'workspace', ask)).text).toBe('hello')
    expect((await run(setup, 'strict', ask)).text).toContain('refused')
    server.close()
  })

  test('sees at strict the project, the system and granted folders, and no home', async () => {
    const data = folder()
    writeFileSync(join(data, 'file'), 'granted')
    const setup = await open(() => ({ readable: [data] }))
    writeFileSync(join(setup.home, 'private'), 'private')
    const look = `cat '${data}/file' "${setup.home}/private"; ls -A '${setup.home}' / | tr '\\n' ' '`
    const { text } = await run(setup, 'strict', look)
    expect(text).toMatch(/^granted/)
    expect(text).not.toContain('private\n')
    expect(text).toMatch(/:\s+project/)
    expect(text).not.toMatch(/\bmnt\b|\bsrv\b|\bboot\b/)
    expect((await run(setup, 'workspace', look)).text).toContain('private')
  })
})

describe('secrets', requires(SANDBOX), () => {
  test('a project in a hidden folder is visible, its siblings are not', async () => {
    const setup = await open(({ home, project }) => ({ hidden: [home], project }))
    writeFileSync(join(setup.home, 'secret'), 'secret')
    writeFileSync(join(setup.project, 'file'), 'work')
    for (const level of LEVELS) {
      const { text } = await run(setup, level, 'cat file; cat ../secret; ls -A ..; echo x >../new')
      expect(text).toMatch(/^work/)
      expect(text).not.toMatch(/^secret/m)
    }
    expect(readdirSync(setup.home).sort()).toEqual(['.scorpiox', 'project', 'secret'])
  })

  test('a hidden folder in the project stays hidden, and cannot be moved, at every level', async () => {
    const setup = await open(({ project }) => ({ hidden: [join(project, 'a', 'b', 'secrets'), join(project, '.env')] }))
    mkdirSync(join(setup.project, 'a', 'b', 'secrets'), { recursive: true })
    writeFileSync(join(setup.project, 'a', 'b', 'secrets', 'key'), 'SECRET')
    writeFileSync(join(setup.project, '.env'), 'SECRET')
    // The existence of a file is checked once a second.
    advanceMonotonicClock(1001)
    const command =
      'cat .env a/b/secrets/*; mv a c; mv a/b d; mv .env e; cat */secrets/key */*/secrets/key e d/secrets/key'
    for (const level of LEVELS) expect((await run(setup, level, command)).text).not.toContain('SECRET')
    expect(readFileSync(join(setup.project, 'a', 'b', 'secrets', 'key'), 'utf8')).toBe('SECRET')
  })

  test('a project that is hidden itself is refused', async () => {
    await expect(open(({ project }) => ({ hidden: [project] }))).rejects.toThrow('SANDBOX_HIDE hides')
  })

  test('a project behind a link is at the target of the link', async () => {
    const real = folder()
    const setup = await open(({ home }) => {
      symlinkSync(real, join(home, 'link'))
      return { project: join(home, 'link') }
    })
    expect((await run(setup, 'workspace', 'pwd -P; echo x >file')).text).toBe(real)
    expect(readdirSync(real)).toContain('file')
  })

  test('a project may have any name', async () => {
    const setup = await open(({ home }) => {
      const project = join(home, 'a b\'c"d\\e\n\t$x €')
      mkdirSync(join(project, '.git'), { recursive: true })
      writeFileSync(join(project, '.git', 'config'), '')
      return { project, hidden: [join(project, 's s', 'secret')] }
    })
    mkdirSync(join(setup.project, 's s'))
    writeFileSync(join(setup.project, 's s', 'secret'), 'SECRET')
    advanceMonotonicClock(1001)
    for (const level of LEVELS) {
      const { text } = await run(setup, level, 'echo x >.git/config; cat "s s/secret"; echo x >fine; cat fine; pwd')
      expect(text).not.toContain('SECRET')
      if (level !== 'read-only') expect(text).toMatch(/^x$/m)
    }
    await setup.sandbox.close()
    expect(readdirSync(setup.project).sort()).toEqual(['.git', 'fine', 's s'])
    expect(readdirSync(join(setup.project, '.git'))).toEqual(['config'])
    expect(readFileSync(join(setup.project, '.git', 'config'), 'utf8')).toBe('')
  })

  test('a home or a root can be used read-only', async () => {
    for (const project of ['/', homedir()]) {
      const setup = await open(() => ({ levels: ['read-only'], project }))
      expect((await run(setup, 'read-only', 'ls /usr/bin/env; pwd')).text).toBe(`/usr/bin/env\n${project}`)
      await expect(open(() => ({ levels: ['workspace'], project, home: homedir() }))).rejects.toThrow(
        'would allow an escape',
      )
    }
  })

  test('an open file that the server inherited is not passed on', async () => {
    const setup = await open()
    const secret = openSync(join(setup.project, 'secret'), 'w')
    // The doctor verifies the sandbox, and looks for open files in it.
    const stdio = ['ignore', 'pipe', 'pipe', ...Array.from({ length: 17 }, () => 'ignore' as const), secret] as const
    const env = { PATH: process.env.PATH, HOME: setup.home, SANDBOX: 'workspace' }
    const doctor = spawn(process.execPath, [...RUNTIME_FLAGS, PROGRAM, 'doctor'], {
      cwd: setup.project,
      env,
      stdio: [...stdio],
    })
    const chunks: Buffer[] = []
    doctor.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(doctor, 'close')
    closeSync(secret)
    expect(Buffer.concat(chunks).toString()).toContain('✓ sandbox: workspace;')
  })
})

describe('limits', requires(SANDBOX), () => {
  const FORKS = `import os, time
n = 0
try:
    while n < 400:
        if os.fork() == 0:
            time.sleep(20); os._exit(0)
        n += 1
except OSError: pass
print(n)`

  test('the number of processes of a command is limited', async () => {
    const setup = await open(() => ({ levels: ['workspace'], pids: 40 }))
    const { text } = await run(setup, 'workspace', `timeout 5 python3 -c '${FORKS}'; kill -9 -1`)
    expect(Number(text)).toBeGreaterThan(10)
    expect(Number(text)).toBeLessThan(40)
  })

  test('a fork bomb stays within its sandbox, and ends with it', async () => {
    const { sandbox, project } = await open(() => ({ levels: ['workspace'], pids: 64 }))
    const sandboxed = sandbox.create('workspace')
    const child = start(sandboxed, project, 'bomb() { bomb | bomb & }; bomb; sleep 300')
    const closed = once(child, 'close')
    // It grows to near its limit, and is looked at often from then on.
    await eventually(
      () => processesIn(sandboxed).length,
      (count) => count > 40,
    )
    const counts = Array.from({ length: 50 }, () => processesIn(sandboxed).length)
    expect(counts.filter((count) => count > 64)).toEqual([])
    child.kill('SIGKILL')
    await closed
    await eventually(
      () => processesIn(sandboxed),
      ({ length }) => length === 0,
    )
    sandboxed.release()
    await eventually(
      () => sandboxed.cgroupFiles.filter((cgroupFile) => existsSync(dirname(cgroupFile))),
      ({ length }) => length === 0,
    )
  })

  test('the memory of a command is limited', async () => {
    const setup = await open(() => ({ levels: ['workspace'], memoryBytes: 96 * MEGABYTE }))
    const overLimit = await run(setup, 'workspace', `python3 -c 'x = b"x" * (300 * 2**20); print(len(x))'; echo $?`)
    expect(overLimit.text).not.toContain(String(300 * MEGABYTE))
    expect(overLimit.text).toMatch(/137|1$/)
    expect((await run(setup, 'workspace', `python3 -c 'print(len(b"x" * 2**24))'`)).text).toBe(String(2 ** 24))
  })

  test('the size of its temporary folders is limited too', async () => {
    const setup = await open(() => ({ levels: ['workspace'], memoryBytes: 64 * MEGABYTE }))
    for (const path of ['/tmp/big', '/dev/shm/big']) {
      const { text } = await run(setup, 'workspace', `head -c 50000000 /dev/zero >${path}; stat -c %s ${path}`)
      expect(text).toContain('No space left')
      expect(text).toMatch(new RegExp(`${32 * MEGABYTE}$`))
    }
    expect((await run(setup, 'workspace', 'echo x >/dev/new || echo x >/run/new || echo nowhere')).text).toContain(
      'nowhere',
    )
  })
})

describe('the end', requires(SANDBOX), () => {
  const TREE = `setsid sh -c 'sleep 60 & sleep 60' & (nohup sleep 60 >/dev/null 2>&1 &); (setsid sh -c '(sleep 60 &)' &) ; echo ready; sleep 60`

  async function ready(child: ChildProcess): Promise<void> {
    await once(child.stdout ?? child, 'data')
  }

  const descendantsWhenAtLeast = ({ pid = 0 }: ChildProcess, count: number): Promise<readonly number[]> =>
    eventually(
      () => descendants(pid),
      ({ length }) => length >= count,
    )

  test('of bwrap ends everything in the sandbox', async () => {
    const { sandbox, project } = await open(() => ({ levels: ['workspace'] }))
    const sandboxed = sandbox.create('workspace')
    const child = start(sandboxed, project, TREE)
    await ready(child)
    const inside = await descendantsWhenAtLeast(child, 5)
    child.kill('SIGKILL')
    await once(child, 'close')
    await waitForExit(...inside)
    sandboxed.release()
  })

  test('of its parent does, too', async () => {
    const { sandbox, project } = await open(() => ({ levels: ['workspace'] }))
    const sandboxed = sandbox.create('workspace')
    const tokens = wrapCommand(sandboxed, [sandboxed.bash, '-c', `${sandboxed.shellPrelude}${TREE}`])
    const parent = spawn('/bin/sh', ['-c', '"$@"; true', 'sh', ...tokens], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await ready(parent)
    const inside = await descendantsWhenAtLeast(parent, 6)
    parent.kill('SIGKILL')
    await waitForExit(...inside)
    sandboxed.release()
  })

  test('of the sandbox leaves nothing in the project', async () => {
    const setup = await open()
    await run(setup, 'workspace', 'true')
    expect(readdirSync(setup.project).sort()).toEqual(PLACEHOLDERS)
    await setup.sandbox.close()
    expect(readdirSync(setup.project)).toEqual([])
  })

  test('of one sandbox keeps the placeholders that commands of another need', async () => {
    const one = await open()
    const other = await open(() => ({ project: one.project }))
    const sandboxed = one.sandbox.create('workspace')
    const child = start(
      sandboxed,
      one.project,
      'echo ready; until [ -e go ]; do sleep 0.05; done; rm go; echo x >scorpiox-env.txt; echo x >.scorpiox/x',
    )
    const closed = once(child, 'close')
    await ready(child)
    await run(other, 'workspace', 'true')
    await other.sandbox.close()
    expect(readdirSync(one.project).sort()).toEqual(PLACEHOLDERS)
    writeFileSync(join(one.project, 'go'), '')
    await closed
    sandboxed.release()
    await one.sandbox.close()
    expect(readdirSync(one.project)).toEqual([])
  })
})

describe('a repository', requires(SANDBOX), () => {
  test('can be created by a command, and is protected from the next one on', async () => {
    const setup = await open(() => ({ levels: ['workspace'] }))
    expect((await run(setup, 'workspace', 'git init -q . && git config x.y 1 && echo made')).text).toBe('made')
    const { text } = await run(
      setup,
      'workspace',
      'git config x.y 2; echo x >.git/hooks/pre-commit; mv .git g; git config x.y',
    )
    // Output and errors are two pipes: their order is not known.
    expect(text.split('\n')).toContain('1')
    expect(existsSync(join(setup.project, '.git', 'hooks', 'pre-commit'))).toBe(false)
  })

  test('that a running command created stays while it runs, and a pooled sandbox sees it', async () => {
    const { sandbox, project } = await open(() => ({ levels: ['workspace'] }))
    const running = sandbox.create('workspace')
    const kept = sandbox.create('workspace')
    expect(kept.isUpToDate()).toBe(true)
    mkdirSync(join(project, '.git'))
    writeFileSync(join(project, '.git', 'config'), '')
    expect(kept.isUpToDate()).toBe(true)
    expect(kept.argv.join(' ')).not.toContain('.git')
    running.release()
    expect(kept.isUpToDate()).toBe(false)
    kept.release()
    const next = sandbox.create('workspace')
    expect(next.argv.join(' ')).toContain(`--ro-bind ${project}/.git/config`)
    expect(next.isUpToDate()).toBe(true)
    next.release()
  })

  test('whose settings are replaced on the host is not what a pooled sandbox has mounted', async () => {
    const setup = await open(({ home }) => ({ levels: ['workspace'], hidden: [join(home, 'token')] }))
    const { sandbox, project, home } = setup
    writeFileSync(join(home, 'token'), 'SECRET')
    mkdirSync(join(project, '.git', 'hooks'), { recursive: true })
    writeFileSync(join(project, '.git', 'config'), '')
    for (const path of [join(project, '.git', 'config'), join(home, 'token')]) {
      advanceMonotonicClock(1001)
      const kept = sandbox.create('workspace')
      expect(kept.isUpToDate()).toBe(true)
      writeFileSync(`${path}.new`, 'SECRET')
      renameSync(`${path}.new`, path)
      expect(kept.isUpToDate()).toBe(false)
      kept.release()
    }
    expect((await run(setup, 'workspace', 'cat ../token')).text).toBe('')
  })

  test('behind a link is refused with what to do', async () => {
    const setup = await open(() => ({ levels: ['workspace', 'read-only'] }))
    symlinkSync('/elsewhere', join(setup.project, '.git'))
    expect(() => setup.sandbox.create('workspace')).toThrow('is a symbolic link')
    expect((await run(setup, 'read-only', 'echo fine')).text).toBe('fine')
  })
})

describe('an incomplete sandbox is refused', () => {
  /** A bwrap that prints its version and otherwise runs the given script. */
  function fakeBwrap(text: string): NodeJS.ProcessEnv {
    const bin = folder()
    writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\n[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit; }\n${text}\n`)
    chmodSync(join(bin, 'bwrap'), 0o755)
    return { PATH: `${bin}:${process.env.PATH}` }
  }

  const RUN_IT = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'

  test('one that only runs the command is detected', async () => {
    const env = fakeBwrap(RUN_IT)
    const opening = open(() => ({ env, levels: ['workspace'] }))
    await expect(opening).rejects.toThrow(/self-test failed at level workspace: .*reading a secret/)
    await expect(opening).rejects.toThrow(/capabilities|new privileges/)
  })

  test(
    'one without the filter, one with capabilities and one with open mounts are detected',
    requires(SANDBOX),
    async () => {
      const without = (flags: string): NodeJS.ProcessEnv =>
        fakeBwrap(
          `for a; do shift; case "$a" in ${flags}) ;; *) set -- "$@" "$a";; esac; done; exec /usr/bin/bwrap "$@"`,
        )
      const missing = async (flags: string): Promise<string> =>
        open(() => ({ env: without(flags), levels: ['strict'] })).then(
          () => 'opened',
          (error: unknown) => String(error),
        )
      expect(await missing('--seccomp|9')).toMatch(/self-test failed.*system calls/)
      expect(await missing('--unshare-net')).toMatch(/self-test failed.*namespaces of the host/)
      expect(await missing('--unshare-pid')).toMatch(/self-test failed|does not start/)
      expect(await missing('nothing')).toBe('opened')
    },
  )

  test('one that does not start is reported with its own message', async () => {
    const env = fakeBwrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')
    await expect(open(() => ({ env }))).rejects.toThrow('does not start: bwrap: setting up uid map: Permission denied.')
  })

  test('a missing one is reported with how to install it', async () => {
    await expect(open(() => ({ env: { PATH: folder() } }))).rejects.toThrow(/needs bubblewrap.* Install it: /)
  })

  test('a folder that cannot be written to is reported', async () => {
    const env = fakeBwrap(RUN_IT)
    await expect(open(() => ({ env, workFolder: '/proc/nowhere/sandbox' }))).rejects.toThrow('Set STATE_DIR')
  })

  test('a failed start leaves nothing in the project', async () => {
    const project = folder()
    await expect(open(() => ({ project, env: fakeBwrap(RUN_IT) }))).rejects.toThrow('self-test failed')
    expect(readdirSync(project)).toEqual([])
  })
})

/** The processes in the cgroups of a sandbox. */
function processesIn({ cgroupFiles }: SandboxedCommand): readonly number[] {
  return [...new Set(cgroupFiles.flatMap((cgroupFile) => pidsIn(cgroupFile)))]
}

function pidsIn(cgroupFile: string): readonly number[] {
  try {
    return readFileSync(cgroupFile, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function descendants(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)])
}
