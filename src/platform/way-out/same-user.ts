// Whether whoever is at the other end of a loopback connection is the same user of this machine. Linux tells who opened
// each end, in a table of all connections; where nobody tells, everybody on the machine counts.

import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

export type IsSameUser = (socket: Socket) => Promise<boolean>

export function sameUserCheck(): IsSameUser {
  const readTable = createTable()
  return async ({ localPort, remotePort, remoteAddress }) => {
    if (remoteAddress !== '127.0.0.1' || localPort === undefined || remotePort === undefined) return false
    const table = process.platform === 'linux' ? await readTable() : ''
    const ours = ownerOf(table, localPort, remotePort)
    return ours === undefined || ours === ownerOf(table, remotePort, localPort)
  }
}

/** The table takes milliseconds to read: those who come meanwhile share the next reading, which has them in it. */
function createTable(): () => Promise<string> {
  let reading: Promise<string> | undefined
  let next: Promise<string> | undefined
  const begin = (): Promise<string> => {
    next = undefined
    return (reading = readFile('/proc/net/tcp', 'latin1')
      .catch(() => '')
      .finally(() => (reading = undefined)))
  }
  return () => (reading ? (next ??= reading.then(begin)) : begin())
}

/** A line is: number, local address:port, remote address:port, state, queues, timer, retransmits, uid, … in hexadecimal. */
function ownerOf(table: string, from: number, to: number): string | undefined {
  const ends = new RegExp(`:${hex(from)} [\\dA-F]{8}:${hex(to)} \\S+ \\S+ \\S+ \\S+ +(\\d+) `)
  return ends.exec(table)?.[1]
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
