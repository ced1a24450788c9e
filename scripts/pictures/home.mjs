// A home directory for scenes: a small project of the user `ann`, an MCP client that works there, and commands on a terminal.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../dist/scorpiox-code.js', import.meta.url))

export function openHome() {
  // Not in the temporary directory: the sandbox has its own.
  const root = realpathSync(mkdtempSync('/var/tmp/scene-'))
  const [home, project] = [join(root, 'home/ann'), join(root, 'home/ann/shop')]
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'src/session.ts'), "import redis from 'redis'\n")
  writeFileSync(join(project, 'package.json'), '{"name":"shop","scripts":{"dev":"node dev.js"}}\n')
  writeFileSync(join(project, 'dev.js'), DEV)
  execFileSync('git', ['init', '-q'], { cwd: project })
  // Installed in PATH, so that the program is shown by its name.
  const bin = join(root, 'bin')
  mkdirSync(bin)
  symlinkSync(PROGRAM, join(bin, 'scorpiox-code'))
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const clients = []
  return { project, env, program: PROGRAM, add, type, connect, anonymous, close }

  function add(name, text) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }

  /** A command, and what it prints. */
  function type(args, more = {}) {
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: project,
      env: { ...env, ...more.env },
      input: more.input ?? '',
      encoding: 'utf8',
    })
    return [`$ scorpiox-code ${more.shown ?? args.join(' ')}`, ...`${stdout}${stderr}`.trimEnd().split('\n')]
  }

  /** `form` is the answer of the user to every form. */
  async function connect(capabilities = {}, more = {}, form) {
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: project,
      env: { ...env, ...more },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    clients.push(child)
    const waiting = new Map()
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.method === 'elicitation/create') setTimeout(() => reply(message.id, form), ANSWER_MS)
      else waiting.get(message.id)?.(message.result)
    })
    const reply = (id, result) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
    let lastId = 0
    const request = (method, params) => {
      lastId += 1
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
      return new Promise((resolve) => waiting.set(lastId, resolve))
    }
    await request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities,
      clientInfo: { name: 'scene', version: '1' },
    })
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    return async (name, args) => {
      const { content } = await request('tools/call', { name, arguments: args })
      const lines = content
        .map((block) => block.text ?? `(${block.type})`)
        .join('\n')
        .trim()
        .split('\n')
      return [
        `→ ${name} ${JSON.stringify(args)}`,
        ...lines.map((line, index) => (index === 0 ? `← ${line}` : `  ${line}`)),
        '',
      ]
    }
  }

  function anonymous(line) {
    return line
      .replaceAll(root, '')
      .replaceAll(process.execPath, '/usr/bin/node')
      .replaceAll(PROGRAM, '/home/ann/.scorpiox/scorpiox-code')
  }

  async function close() {
    for (const child of clients) {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A faster answer would count as that of a program. */
const ANSWER_MS = 500

const DEV = `setTimeout(() => require('node:http').createServer((_, answer) => answer.end('ok')).listen(3000, () => console.log('Local: http://localhost:3000/')), 900)
`
