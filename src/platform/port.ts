// Whether somebody on this machine answers at a TCP port. It connects and hangs up; nothing is sent.

import { connect } from 'node:net'

const PATIENCE_MS = 500

export async function isPortOpen(port: number): Promise<boolean> {
  const answers = await Promise.all(['127.0.0.1', '::1'].map((host) => answersAt(host, port)))
  return answers.includes(true)
}

function answersAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS })
    const settle = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
