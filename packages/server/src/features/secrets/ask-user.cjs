// Part of the askpass program of commands (askpass.sh): puts the prompt to the server over its socket, waits, and prints the
// answer. Exit code 1: the answer is a refusal, which is on stderr. 3: no user can be asked. 4: the server cannot be reached. The
// server writes this file beside the socket (features/secrets/askpass-socket.ts): its own files may be hidden from a sandbox.

'use strict'

const { readFileSync } = require('node:fs')
const { connect } = require('node:net')

const NO_USER = 3
const UNREACHABLE = 4
const [, , folder, prompt = ''] = process.argv
const { SCORPIOX_ASKPASS_KEY: key = '' } = process.env

function ask(address, onUnreachable) {
  const socket = connect(address)
  let received = ''

  function handle({ asking, value, refusal }) {
    const note = asking ?? refusal
    if (typeof note === 'string') process.stderr.write(`${note}\n`)
    if (typeof asking === 'string') return
    if (typeof value === 'string') process.stdout.write(`${value}\n`)
    process.exitCode = typeof value === 'string' ? 0 : typeof refusal === 'string' ? 1 : NO_USER
    socket.destroy()
  }

  socket.once('error', onUnreachable)
  socket.once('connect', () => {
    process.exitCode = NO_USER
    socket.off('error', onUnreachable).on('error', () => {})
    socket.write(`${JSON.stringify({ key, prompt })}\n`)
  })
  socket.setEncoding('utf8').on('data', (text) => {
    const lines = (received + text).split('\n')
    received = lines.pop()
    for (const line of lines) handle(JSON.parse(line))
  })
}

process.exitCode = UNREACHABLE
// A sandbox refuses Unix sockets.
ask({ path: `${folder}/socket` }, () => {
  ask({ host: '127.0.0.1', port: Number(readFileSync(`${folder}/port`, 'utf8')) }, () => {})
})
