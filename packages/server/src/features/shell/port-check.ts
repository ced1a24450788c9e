// Checks whether a local TCP port accepts connections. Connects and closes; sends nothing.

import { connect } from 'node:net'

const CONNECT_TIMEOUT_MS = 500

export async function isPortOpen(port: number): Promise<boolean> {
  const results = await Promise.all(['127.0.0.1', '::1'].map((host) => canConnect(host, port)))
  return results.includes(true)
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS })
    const finish = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('timeout', () => finish(false))
  })
}
