// Measures terminals as a client uses them: calls for an installer with three questions, calls and time for a REPL, and
// the time from input to its echo over stdio beside a bare loop over a pseudo-terminal. `npm run bench:terminals`

import { spawn } from 'node:child_process'

import { startServer } from './lib/terminal-server.mjs'

const ROUNDS = Number(process.argv[2] ?? 200)

const server = await startServer()
await measureInstaller()
await measureRepl('python3 -q', '>>> ', ['1 + 1\n', '2 + 2\n'])
await measureRepl('node -i', '> ', ['1 + 1\n', '2 + 2\n'])
await measureEcho()
server.close()

async function measureInstaller() {
  let calls = 0
  const call = (name, args) => (calls++, server.call(name, args))
  const command = 'read -p "Name? " n; read -p "Folder? " f; read -sp "Password: " p; echo; echo "installed $n in $f"'
  const id = (await call('BackgroundBash', { command, tty: true })).id
  await call('ReadBgOutput', { task_id: id, wait_ms: 30_000 })
  await call('ReadBgOutput', { task_id: id, input: 'app\n' })
  await call('ReadBgOutput', { task_id: id, input: '/opt\n' })
  const { text } = await call('ReadBgOutput', { task_id: id, input: 'secret\n', wait_for_end: true })
  console.log(
    `installer with three questions: ${calls} calls, ${/installed app in \/opt/.test(text) ? 'done' : `not done: ${text}`}`,
  )
}

async function measureRepl(command, prompt, inputs) {
  const { id } = await server.call('BackgroundBash', { command, tty: true })
  await server.call('ReadBgOutput', { task_id: id, wait_ms: 30_000 })
  const times = []
  for (let round = 0; round < ROUNDS / 4; round++) {
    for (const input of inputs) {
      const startedAt = performance.now()
      const { text } = await server.call('ReadBgOutput', { task_id: id, input })
      times.push(performance.now() - startedAt)
      if (!text.includes(prompt)) throw new Error(`no prompt in ${text}`)
    }
  }
  console.log(`${command}, two evaluations: 4 calls with start and first prompt; one evaluation ${describe(times)}`)
  await server.call('KillBgTask', { task_id: id })
}

/** The program echoes each character itself; the loop beside it writes to the same program through script(1) directly. */
async function measureEcho() {
  const echo = 'stty raw -echo; printf "ready: "; exec cat'
  const { id } = await server.call('BackgroundBash', { command: echo, tty: true })
  await server.call('ReadBgOutput', { task_id: id, wait_for_pattern: 'ready' })
  const bare = startBareLoop(echo)
  await bare.waitFor('ready')
  const own = []
  const loop = []
  for (let round = 0; round < ROUNDS; round++) {
    const mark = `m${round}e`
    let startedAt = performance.now()
    await bare.type(mark)
    loop.push(performance.now() - startedAt)
    startedAt = performance.now()
    const { text } = await server.call('ReadBgOutput', { task_id: id, input: mark, wait_for_pattern: mark })
    own.push(performance.now() - startedAt)
    if (!text.includes(mark)) throw new Error(`no echo in ${text}`)
  }
  bare.close()
  console.log(`input to echo, ReadBgOutput with wait_for_pattern: ${describe(own)}`)
  console.log(`input to echo, bare loop: ${describe(loop)}`)
  console.log(`difference of the medians: ${(median(own) - median(loop)).toFixed(2)} ms`)
}

function startBareLoop(command) {
  const child = spawn('script', ['-qefE', 'always', '-c', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let seen = ''
  let waiting
  child.stdout.setEncoding('utf8').on('data', (text) => {
    seen += text
    if (waiting && seen.includes(waiting.text)) waiting.resolve()
  })
  const waitFor = (text) => new Promise((resolve) => (seen.includes(text) ? resolve() : (waiting = { text, resolve })))
  return {
    waitFor,
    type(text) {
      child.stdin.write(text)
      return waitFor(text)
    },
    close: () => child.kill('SIGKILL'),
  }
}

function describe(times) {
  return `p50 ${median(times).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms of ${times.length}`
}

function median(times) {
  return quantile(times, 0.5)
}

function quantile(times, part) {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)]
}
