// Starts what is judged over HTTP, each server a process of its own on a free port of the loopback, and ends it again.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { within } from '../shared/report.mjs'

const program = resolve(import.meta.dirname, '../../dist/scorpiox-code.js')
const fixture = join(import.meta.dirname, 'fixture.mjs')

export const startFixture = (token) => start([fixture], token ? { FIXTURE_TOKEN: token } : {}, token)

export function startProgram(token) {
  const args = [program, 'serve', '--http', '--port', '0', ...(token ? [] : ['--no-auth'])]
  return start(args, token ? { HTTP_TOKEN: token } : {}, token)
}

/** Resolves once the server has printed its address. */
async function start(args, env, token) {
  const scratch = mkdtempSync(join(tmpdir(), 'judge-'))
  const child = spawn(process.execPath, args, {
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: scratch, SHELL: '/bin/sh', TERM: 'dumb', USER: 'judge', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exit = new Promise((settle) => child.once('exit', (code, signal) => settle({ code, signal })))
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-4000)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 8000)
    const outcome = await exit
    clearTimeout(late)
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
    return outcome
  }
  const complaints = () =>
    stderr
      .trim()
      .split('\n')
      .filter(Boolean)
      .slice(-12)
      .map((line) => `! ${line}`)
  try {
    const url = await within(10_000, Promise.race([addressIn(child.stdout), exit.then(() => undefined)]))
    if (!url) throw new Error(`it ended at once: ${stderr.trim().slice(-300)}`)
    return { url, token, scratch, stop, complaints }
  } catch (error) {
    await stop()
    throw error
  }
}

function addressIn(stdout) {
  return new Promise((settle) => {
    let text = ''
    stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text) ?? []
      if (url) settle(url)
    })
  })
}
