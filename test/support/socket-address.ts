// The address of a local socket: a path, or on Windows a named pipe. For tests that open one, or connect to that of a
// server as a console does.

import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { basename, join } from 'node:path'

const IS_WINDOWS = process.platform === 'win32'

/** Of a socket in a folder that is unique. */
export function socketAddressIn(folder: string, name = 'socket'): string {
  return IS_WINDOWS ? `\\\\.\\pipe\\${basename(folder)}-${name}` : join(folder, name)
}

/** Of the console socket of a server. */
export function consoleAddressIn(folder: string, id: string): string {
  return IS_WINDOWS ? `\\\\.\\pipe\\scorpiox-${id}` : join(folder, `${id}.sock`)
}

/** Connects as a console that has read the registry. */
export function connectToConsole(folder: string, id: string): Socket {
  const { address, key } = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'))
  const socket = connect(address)
  if (key !== undefined) socket.write(`${key}\n`)
  return socket
}
