// Checks that the other end of a loopback connection belongs to the same OS user. Linux lists the owner of each end in
// /proc/net/tcp; on other systems every local user passes.

import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

type IsSameUser = (socket: Socket) => Promise<boolean>

export function sameUserCheck(): IsSameUser {
  const readTable = createTableReader()
  return async ({ localPort, remotePort, remoteAddress }) => {
    if (remoteAddress !== '127.0.0.1' || localPort === undefined || remotePort === undefined) return false
    const table = process.platform === 'linux' ? await readTable() : ''
    const ownOwner = findOwner(table, localPort, remotePort)
    return ownOwner === undefined || ownOwner === findOwner(table, remotePort, localPort)
  }
}

/**
 * Reading the table takes milliseconds: callers that arrive during a read share the next one, which contains their
 * connection.
 */
function createTableReader(): () => Promise<string> {
  let reading: Promise<string> | undefined
  let next: Promise<string> | undefined
  const startRead = (): Promise<string> => {
    next = undefined
    return (reading = readFile('/proc/net/tcp', 'latin1')
      .catch(() => '')
      .finally(() => (reading = undefined)))
  }
  return () => (reading ? (next ??= reading.then(startRead)) : startRead())
}

/**
 * The columns are: number, local address:port, remote address:port, state, queues, timer, retransmits, uid, … in
 * hexadecimal.
 */
function findOwner(table: string, from: number, to: number): string | undefined {
  const ends = new RegExp(`:${toHexPort(from)} [\\dA-F]{8}:${toHexPort(to)} \\S+ \\S+ \\S+ \\S+ +(\\d+) `)
  return ends.exec(table)?.[1]
}

function toHexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
