// Part of the askpass program of commands (askpass.sh): puts the prompt to the server over its socket, waits, and prints the
// answer. Exit code 3 means that nobody can be asked; 1 that the answer is a refusal, which is on stderr. The server writes
// this file beside the socket (features/secrets/askpass-socket.ts), because the program's own files may be hidden from a sandbox.

'use strict'

const { connect } = require('node:net')

const NOBODY = 3
const [, , address, prompt] = process.argv
const socket = connect(address)
let received = ''

function finish(exitCode) {
  process.exitCode = exitCode
  socket.destroy()
}

function handle({ asking, value, refusal }) {
  if (typeof asking === 'string') return void process.stderr.write(`${asking}\n`)
  if (typeof value === 'string') process.stdout.write(`${value}\n`)
  if (typeof refusal === 'string') process.stderr.write(`${refusal}\n`)
  finish(typeof value === 'string' ? 0 : typeof refusal === 'string' ? 1 : NOBODY)
}

process.exitCode = NOBODY
socket.on('error', () => {})
socket.setEncoding('utf8').on('data', (text) => {
  const lines = (received + text).split('\n')
  received = lines.pop()
  for (const line of lines) handle(JSON.parse(line))
})
socket.write(`${JSON.stringify({ key: process.env.SCORPIOX_ASKPASS_KEY ?? '', prompt: prompt ?? '' })}\n`)
