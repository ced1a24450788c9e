// Runs between a client and the server on stdio and keeps every message: `node tap.mjs <log> <command> [argument...]`.
// A line is in the log before it is passed on, so what arrives at the model can be compared with what was sent.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [log, command, ...args] = process.argv.slice(2)
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
forward('client', process.stdin, server.stdin)
forward('server', server.stdout, process.stdout)
server.stdin.on('error', () => {})
process.stdout.on('error', () => server.stdin.end())
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => {
  process.exitCode = code ?? 1
  process.stdin.destroy()
})

function forward(from, input, output) {
  const lines = createInterface({ input })
  lines.on('line', (line) => {
    appendFileSync(log, `${JSON.stringify({ from, line })}\n`)
    output.write(`${line}\n`)
  })
  lines.on('close', () => output.end())
}
