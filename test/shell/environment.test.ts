// SHELL_ENV: commands get the environment of the project. direnv loads only what the user has allowed, nothing of the
// project runs outside of the sandbox, and sandboxed commands cannot change what is loaded.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { call, cleanEnv, emptyFolder, HAS_PROC, readJob, startServer, type TestClient } from '../support/client.js'
import { canRun, type Requirement, requires, SANDBOX } from '../support/requirements.js'

const DIRENV: Requirement = { isMet: canRun('direnv', ['version']), reason: 'direnv is not installed' }

const TERMINALS: Requirement = {
  isMet: HAS_PROC && canRun('script'),
  reason: 'script of util-linux is not installed, or there is no /proc',
}

interface Project {
  readonly cwd: string
  readonly home: string
}

function newProject(files: Readonly<Record<string, string>> = {}): Project {
  const cwd = emptyFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return { cwd, home: emptyFolder() }
}

/** As the user does. */
function allow({ cwd, home }: Project): void {
  const { status, stderr } = spawnSync('direnv', ['allow', cwd], { env: cleanEnv({ HOME: home }), encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function start({ cwd, home }: Project, kind: 'direnv' | 'venv', more: NodeJS.ProcessEnv = {}): TestClient {
  return startServer({ cwd, env: { HOME: home, STATE_DIR: emptyFolder(), SHELL_ENV: kind, ...more } })
}

const run = async (client: TestClient, command: string): Promise<string> =>
  (await call(client, 'Bash', { command })).text

function addProgram(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

function addVenv(cwd: string): void {
  addProgram(join(cwd, '.venv/bin/python'), 'echo python of the project')
  writeFileSync(join(cwd, '.venv/bin/activate'), 'touch activated; export ACTIVATED=1\n')
  writeFileSync(join(cwd, '.venv/pyvenv.cfg'), 'home = /usr/bin\n')
}

describe('direnv', requires(DIRENV), () => {
  test('an .envrc is loaded when it has been allowed, and again when it or what it reads has changed', async () => {
    const project = newProject({ '.envrc': 'export NAME=\'a "b" $c\'\nPATH_add bin\ndotenv_if_exists .env\n' })
    addProgram(join(project.cwd, 'bin/own-tool'), 'echo own tool')
    const client = start(project, 'direnv')
    const [first, second] = [await run(client, 'echo "[$NAME]"'), await run(client, 'echo "[$NAME]"')]
    expect(first).toMatch(
      /^\[\]\n\[SHELL_ENV=direnv: .*\.envrc was not loaded: its content is not allowed\..*`direnv allow /,
    )
    expect(second).toBe('[]\n')
    expect(await run(client, 'exit 3')).toContain('not loaded')
    allow(project)
    expect(await run(client, 'echo "[$NAME$DIRENV_DIFF]"; own-tool')).toBe('[a "b" $c]\nown tool\n')
    writeFileSync(join(project.cwd, '.env'), 'FROM_FILE=1\n')
    expect(await run(client, 'echo "$FROM_FILE"')).toBe('1\n')
    writeFileSync(join(project.cwd, '.envrc'), 'export NAME=changed\n')
    expect(await run(client, 'echo "[$NAME]"')).toContain('is not allowed')
    allow(project)
    expect(await run(client, 'echo "[$NAME]"')).toBe('[changed]\n')
    await client.close()
    expect(client.stderr().match(/was not loaded/g)).toHaveLength(2)
  })

  test('jobs get it, too; what the server sets for commands stays, and no value is in a list of processes', async () => {
    const project = newProject({ '.envrc': 'export NAME=from-envrc EDITOR=vi PAGER=less IFS=x SCORPIOX_TREE=y\n' })
    allow(project)
    const client = start(project, 'direnv')
    const task = await call(client, 'BackgroundBash', { command: 'echo "$NAME"; sleep 300' })
    const id = Number(/job (\d+)/.exec(task.text)?.[1])
    expect((await readJob(client, id, { wait_for_pattern: 'from' })).text).toContain('from-envrc')
    expect(await run(client, 'echo "$NAME $EDITOR $PAGER"; a="1 2"; printf "%s," $a')).toBe(
      'from-envrc false cat\n1,2,\n',
    )
    expect(await run(client, 'set -x; tr "\\0" " " < /proc/$$/cmdline')).not.toContain('from-envrc')
    expect((await call(client, 'KillBgTask', { task_id: id })).text).toContain('and its child processes')
    expect(await client.close()).toBe(0)
  })

  test('long values arrive, on a terminal too, and in tasks that outlive the server', requires(TERMINALS), async () => {
    const project = newProject({ '.envrc': `export LONG=${'x'.repeat(9000)} LINES_OF="a\nb"\n` })
    allow(project)
    const client = start(project, 'direnv', { JOBS_OUTLIVE_SERVER: '1' })
    const command = 'echo "length ${#LONG} ${#LINES_OF}"'
    expect(await run(client, command)).toBe('length 9000 3\n')
    for (const tty of [false, true]) {
      const { structured } = await call(client, 'BackgroundBash', { command, tty })
      const { text } = await readJob(client, structured.task_id, { wait_for_end: true })
      expect(text).toContain('length 9000 3')
    }
    await client.close()
  })

  test('an .envrc that fails is a sentence', async () => {
    const project = newProject({ '.envrc': 'echo no such account >&2; exit 4\n' })
    allow(project)
    const client = start(project, 'direnv')
    expect(await run(client, 'echo done')).toMatch(/^done\n\[SHELL_ENV=direnv: .*direnv failed: .*no such account/)
    await client.close()
  })

  test('in the sandbox', requires(SANDBOX), async () => {
    const envrc = 'export NAME=value\ntouch written 2>/dev/null || true\nsource ./part.sh\n'
    const project = newProject({ '.envrc': envrc, 'part.sh': '' })
    const escaped = join(emptyFolder(), 'escaped')
    allow(project)
    const client = start(project, 'direnv', { SANDBOX: 'workspace' })
    expect(await run(client, 'echo "$NAME"; echo export NAME=planted > .envrc')).toContain('Read-only file system')
    expect(existsSync(join(project.cwd, 'written'))).toBe(false)
    // What .envrc reads runs in the sandbox, and counts with the next server.
    await run(client, `echo 'touch ${escaped}; export PART=planted' > part.sh; touch -d 2001-01-01 part.sh`)
    expect(await run(client, 'echo "$NAME [$PART]"')).toBe('value []\n')
    expect(await run(client, 'mkdir -p ~/.local/share/direnv/allow && touch ~/.local/share/direnv/allow/x')).toContain(
      'Read-only',
    )
    await client.close()
    const next = start(project, 'direnv', { SANDBOX: 'workspace' })
    expect(await run(next, 'echo "$NAME"')).toContain('value')
    await next.close()
    expect(existsSync(escaped)).toBe(false)
    const strict = start(project, 'direnv', { SANDBOX: 'strict' })
    expect(await run(strict, 'echo "$NAME"')).toContain('value')
    await strict.close()
  })

  test('one above the project that the sandbox hides is named', requires(SANDBOX), async () => {
    const { cwd: parent, home } = newProject({ '.envrc': 'export NAME=value\n' })
    allow({ cwd: parent, home })
    const cwd = join(parent, 'project')
    mkdirSync(cwd)
    const client = start({ cwd, home }, 'direnv')
    expect(await run(client, 'echo "[$NAME]"')).toBe('[value]\n')
    await client.close()
    const sandboxed = start({ cwd, home }, 'direnv', { SANDBOX: 'strict' })
    expect(await run(sandboxed, 'echo "[$NAME]"')).toMatch(/^\[\]\n\[SHELL_ENV=direnv: .*direnv cannot find it/)
    await sandboxed.close()
  })

  test('none can be planted in a project without one', requires(SANDBOX), async () => {
    const project = newProject()
    const client = start(project, 'direnv', { SANDBOX: 'workspace' })
    expect(await run(client, 'echo export A=1 > .envrc')).toContain('Is a directory')
    expect(await client.close()).toBe(0)
    expect(existsSync(join(project.cwd, '.envrc'))).toBe(false)
  })
})

test('a missing direnv is a sentence', async () => {
  const project = newProject({ '.envrc': 'export NAME=value\n' })
  const bin = emptyFolder()
  for (const name of ['bash', 'mkfifo', 'rm', 'grep', 'sleep'])
    writeFileSync(join(bin, name), readFileSync(spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()), {
      mode: 0o755,
    })
  const client = start(project, 'direnv', { PATH: bin })
  expect(await run(client, 'echo "[$NAME]"')).toMatch(
    /^\[\]\n\[SHELL_ENV=direnv: .*direnv is not installed\. Install it: /,
  )
  await client.close()
})

describe('venv', () => {
  test('.venv is put into PATH, and nothing of it is run', async () => {
    const project = newProject()
    addVenv(project.cwd)
    const client = start(project, 'venv', { PYTHONHOME: '/elsewhere' })
    expect(await run(client, 'python; echo "$VIRTUAL_ENV [$PYTHONHOME$ACTIVATED]"')).toBe(
      `python of the project\n${join(project.cwd, '.venv')} []\n`,
    )
    expect(existsSync(join(project.cwd, 'activated'))).toBe(false)
    rmSync(join(project.cwd, '.venv'), { recursive: true })
    expect(await run(client, 'echo "[$VIRTUAL_ENV]"')).toBe('[]\n')
    mkdirSync(join(project.cwd, '.venv/bin'), { recursive: true })
    writeFileSync(join(project.cwd, '.venv/pyvenv.cfg'), '')
    expect(await run(client, 'echo "[$VIRTUAL_ENV]"')).toMatch(/^\[\]\n\[SHELL_ENV=venv: .*its Python no longer exists/)
    await client.close()
  })

  test('.nvmrc takes the newest installed version that it names', async () => {
    const project = newProject({ '.nvmrc': '# ours\nv20.1\n' })
    const nodes = join(project.home, '.nvm/versions/node')
    for (const version of ['v18.0.0', 'v20.1.9', 'v20.1.10', 'v20.2.0'])
      addProgram(join(nodes, version, 'bin/node'), `echo node ${version}`)
    const aliases = join(project.home, '.nvm/alias/lts')
    mkdirSync(aliases, { recursive: true })
    writeFileSync(join(aliases, '*'), 'lts/hydrogen\n')
    writeFileSync(join(aliases, 'hydrogen'), 'v18.0.0\n')
    const client = start(project, 'venv')
    const withVersion = (text: string): Promise<string> => {
      writeFileSync(join(project.cwd, '.nvmrc'), `${text}\n`)
      return run(client, 'node --version')
    }
    expect(await run(client, 'node')).toBe('node v20.1.10\n')
    expect(await withVersion('18')).toBe('node v18.0.0\n')
    expect(await withVersion('lts/*')).toBe('node v18.0.0\n')
    expect(await withVersion('node')).toBe('node v20.2.0\n')
    expect(await withVersion('22.5')).toMatch(
      /nvm, fnm and Volta have not installed Node\.js 22\.5, which .*\.nvmrc requires \(installed: 20\.2\.0,/,
    )
    expect(await withVersion('../../x')).toContain('is not valid')
    await client.close()
  })

  test('sandboxed commands cannot change it, nor what the server itself starts', requires(SANDBOX), async () => {
    const project = newProject({ '.nvmrc': '20\n' })
    addVenv(project.cwd)
    // Programs that the server starts outside of the sandbox.
    const traces = emptyFolder()
    for (const name of ['bash', 'bwrap', 'sh', 'mkfifo', 'script', 'stty', 'setsid'])
      addProgram(join(project.cwd, '.venv/bin', name), `touch ${traces}/${name}; exec /usr/bin/${name} "$@"`)
    addProgram(join(project.home, '.nvm/versions/node/v20.0.0/bin/node'), 'echo node of the user')
    const client = start(project, 'venv', { SANDBOX: 'workspace' })
    expect(await run(client, 'python; node')).toBe('python of the project\nnode of the user\n')
    const attempts = ['echo x > .venv/bin/python', 'rm -r .venv', 'mv .venv other', 'echo 18 > .nvmrc', 'rm .nvmrc']
    for (const attempt of attempts) expect(await run(client, attempt)).toMatch(/Read-only file system|busy|denied/)
    utimesSync(join(project.cwd, '.nvmrc'), 1, 1)
    expect(await run(client, 'python; node')).toBe('python of the project\nnode of the user\n')
    await client.close()
    for (const name of ['bwrap', 'mkfifo', 'script']) expect(existsSync(join(traces, name))).toBe(false)
  })

  test('a program that the sandbox hides is named', requires(SANDBOX), async () => {
    const project = newProject()
    addVenv(project.cwd)
    const hidden = join(project.home, 'python')
    addProgram(hidden, 'echo hidden')
    rmSync(join(project.cwd, '.venv/bin/python'))
    spawnSync('ln', ['-s', hidden, join(project.cwd, '.venv/bin/python')])
    const client = start(project, 'venv', { SANDBOX: 'workspace', SANDBOX_HIDE: hidden })
    expect(await run(client, 'echo "[$VIRTUAL_ENV]"')).toMatch(
      /^\[\]\n\[SHELL_ENV=venv: .*python cannot be used, because the sandbox hides it/,
    )
    await client.close()
  })
})

test('a project cannot switch it on', async () => {
  const project = newProject({ 'scorpiox-env.txt': 'SHELL_ENV=venv\n' })
  addVenv(project.cwd)
  const client = startServer({ cwd: project.cwd, env: { HOME: project.home } })
  expect(await run(client, 'echo "[$VIRTUAL_ENV]"')).toBe('[]\n')
  await client.close()
})
