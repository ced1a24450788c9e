// Measures what the time costs after which a foreground command continues as a job (BASH_SOFT_LIMIT_MS): turns
// and wall time of a scripted model on builds of different length, over stdio.
// `npm run bench:promotion -- [limits in s] [--client=claude-code] [--stand-ins]`; the last leaves the real builds out.
//
// The model knows nothing but what results say. When a result says that a command goes on, it makes the call that the
// result names (`literal`), or the same with `wait_for_end` (`waits`), until the task has ended. It takes THINKING_MS for
// each turn. A command that never ends is given up in the first turn after it went on.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PROGRAM = join(ROOT, 'dist/scorpiox-code.js')
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
const numbers = process.argv.slice(2).filter((argument) => /^\d+$/.test(argument))
const LIMITS = numbers.length > 0 ? numbers.map(Number) : [10, 30, 60, 120, 300]
const CLIENT = flags.find((flag) => flag.startsWith('--client='))?.slice('--client='.length) ?? 'bench'
const hasBuilds = !flags.includes('--stand-ins')
const THINKING_MS = 3000
/** Longer than any of them, for the literal model, which would ask forever. */
const MAX_TURNS = 100
const C_FILES = 60
const MODELS = ['waits', 'literal']

const folder = mkdtempSync(join(tmpdir(), 'scorpiox-promotion-'))
try {
  if (hasBuilds) prepare()
  const results = []
  for (const limit of LIMITS) {
    // Stand-ins use no processor, so they run beside the builds.
    const standIns = Promise.all(
      listStandIns().flatMap((build) => MODELS.map((model) => measure({ ...build, model, limit }))),
    )
    for (const build of hasBuilds ? listBuilds() : []) results.push(await measure({ ...build, model: 'waits', limit }))
    results.push(...(await standIns))
  }
  report(results)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function prepare() {
  // Built in a clone: the server that is measured runs from dist/.
  execFileSync('git', ['clone', '-q', ROOT, join(folder, 'repository')])
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'repository/node_modules'))
  mkdirSync(join(folder, 'c'))
  for (let file = 0; file < C_FILES; file++) writeFileSync(join(folder, `c/part${file}.c`), makeSource(file))
  const objects = Array.from({ length: C_FILES }, (_, file) => `part${file}.o`).join(' ')
  writeFileSync(join(folder, 'c/Makefile'), `all: ${objects}\n%.o: %.c\n\tcc -O2 -c $< -o $@\nclean:\n\trm -f *.o\n`)
  mkdirSync(join(folder, 'npm'))
  for (const name of ['package.json', 'package-lock.json', 'packages'])
    cpSync(join(ROOT, name), join(folder, 'npm', name), {
      recursive: true,
      filter: (path) => !/[/\\](src|dist|node_modules)$/.test(path),
    })
}

/** Many small functions: about half a second of the compiler. */
function makeSource(file) {
  const bodies = Array.from({ length: 400 }, (_, at) => {
    const name = `f${file}_${at}`
    return `int ${name}(int a,int b){int s=0;for(int i=0;i<a;i++){s+=(i*b)^(s<<${(at % 7) + 1});if(s%${at + 3}==0)s-=a;switch(s&7){case 1:s+=b;break;case 2:s^=a;break;case 5:s*=3;break;}}return s;}`
  })
  return `${bodies.join('\n')}\n`
}

function listBuilds() {
  return [
    {
      name: 'git clone of this repository',
      command: `git clone -q --no-local ${ROOT} ${folder}/clone; rm -rf ${folder}/clone`,
    },
    { name: 'npm run build', command: `cd ${folder}/repository && npm run build` },
    { name: 'tsc --noEmit', command: `cd ${folder}/repository && npx tsc --noEmit` },
    {
      name: 'npm ci from the cache',
      command: `cd ${folder}/npm && npm ci --prefer-offline --ignore-scripts --no-audit`,
    },
    { name: `make of ${C_FILES} C files`, command: `make -s -C ${folder}/c clean all` },
  ]
}

function listStandIns() {
  const waits = [20, 45, 75, 100, 150, 240].map((seconds) => ({
    name: `${seconds} s (sleep)`,
    command: `sleep ${seconds}`,
  }))
  return [...waits, { name: 'a server, never ends', command: 'echo listening; sleep 100000', isEndless: true }]
}

async function measure({ name, command, model, limit, isEndless = false }) {
  const server = startServer(limit)
  await server.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: CLIENT, version: '0' },
  })
  const startedAt = performance.now()
  let { text } = await server.call('Bash', { command })
  let turns = 1
  let ask = {}
  while (turns < MAX_TURNS && /continues as job|is running/.test(text)) {
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS))
    turns++
    const [, named] = /ReadBgOutput\(([^)]*)\)/.exec(text) ?? []
    ask = named === undefined ? ask : parseArguments(named)
    if (isEndless) {
      await server.call('KillBgTask', { task_id: ask.task_id })
      break
    }
    ;({ text } = await server.call('ReadBgOutput', model === 'waits' ? { ...ask, wait_for_end: true } : ask))
  }
  await server.close()
  const wallMs = performance.now() - startedAt
  console.error(`${limit} s, ${model}: ${name}: ${turns} turns, ${(wallMs / 1000).toFixed(1)} s`)
  return { name, model, limit, turns, wallMs }
}

/** `task_id: 3, wait_for_end: true` as a result names it. */
function parseArguments(text) {
  const entries = text.split(/,\s*/).map((part) => part.split(/:\s*/))
  return Object.fromEntries(entries.map(([key, value]) => [key, JSON.parse(value)]))
}

function report(results) {
  for (const model of MODELS) {
    const chosen = results.filter((result) => result.model === model)
    const names = [...new Set(chosen.map(({ name }) => name))]
    console.log(
      `\nmodel that ${model === 'waits' ? 'waits for the end' : 'makes the call that the result names'}: turns, and seconds until it knew the end\n`,
    )
    console.log(`| | ${LIMITS.map((limit) => `${limit} s`).join(' | ')} |`)
    console.log(`|---|${LIMITS.map(() => '--:').join('|')}|`)
    for (const name of names) {
      const cells = LIMITS.map((limit) => {
        const found = chosen.find((result) => result.name === name && result.limit === limit)
        return found ? `${found.turns} (${Math.round(found.wallMs / 1000)})` : '–'
      })
      console.log(`| ${name} | ${cells.join(' | ')} |`)
    }
  }
}

function startServer(limit) {
  const home = mkdtempSync(join(folder, 'home-'))
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: home,
    env: {
      ...process.env,
      STATE_DIR: join(home, 'state'),
      SANDBOX: 'off',
      ...(limit > 0 && { BASH_SOFT_LIMIT_MS: String(limit * 1000) }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map()
  let rest = ''
  let lastId = 0
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const message of lines.map((line) => JSON.parse(line))) waiting.get(message.id)?.(message)
  })
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
    })
  return {
    request,
    async call(name, args) {
      const { result, error } = await request('tools/call', { name, arguments: args })
      if (error) throw new Error(error.message)
      return { text: result.content.map(({ text }) => text ?? '').join('\n') }
    },
    close: () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.stdin.end()
      }),
  }
}
