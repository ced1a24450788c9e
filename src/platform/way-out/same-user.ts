// Whether whoever is at the other end of a loopback connection is the same user of this machine. Linux tells who opened
// each end; where nobody tells, everybody on the machine counts.

import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

export async function isSameUser({ localPort, remotePort, remoteAddress }: Socket): Promise<boolean> {
  if (remoteAddress !== '127.0.0.1' || localPort === undefined || remotePort === undefined) return false
  const table = process.platform === 'linux' ? await readFile('/proc/net/tcp', 'latin1').catch(() => '') : ''
  const ours = ownerOf(table, localPort, remotePort)
  return ours === undefined || ours === ownerOf(table, remotePort, localPort)
}

/** A line is: number, local address:port, remote address:port, state, queues, timer, retransmits, uid, … in hexadecimal. */
function ownerOf(table: string, from: number, to: number): string | undefined {
  const ends = new RegExp(`^ *\\d+: [\\dA-F]{8}:${hex(from)} [\\dA-F]{8}:${hex(to)} \\S+ \\S+ \\S+ \\S+ +(\\d+) `, 'm')
  return ends.exec(table)?.[1]
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
