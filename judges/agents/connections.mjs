// Watches the TCP connections of a session's processes, in /proc: everything a judged client talks to is on loopback.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { processesOf } from './processes.mjs'

const intervalMs = 250

/** @returns a function that ends the watch and gives the addresses beyond loopback that were seen */
export function watchConnections(root) {
  const seen = new Set()
  const look = () => {
    const sockets = new Set(processesOf(root).flatMap(({ pid }) => socketsOf(pid)))
    for (const { inode, address } of openConnections()) {
      if (sockets.has(inode) && !isLoopback(address)) seen.add(address)
    }
  }
  const timer = setInterval(look, intervalMs)
  return () => {
    clearInterval(timer)
    return [...seen]
  }
}

function socketsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? []
      return inode ? [inode] : []
    })
  } catch {
    return []
  }
}

/** Connections with their remote address in hexadecimal, as the kernel prints it; listening sockets have none. */
function openConnections() {
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .map((fields) => ({ address: fields[2], inode: fields[9] })),
  )
}

/** 127.0.0.0/8, ::1 and 127.0.0.0/8 mapped into IPv6 are loopback; 0.0.0.0 and :: belong to sockets that listen. */
function isLoopback(address) {
  const [host] = address.split(':')
  return /^0+$/.test(host) || /(?:^|FFFF0000)[0-9A-F]{6}7F$/.test(host) || host === `${'0'.repeat(24)}01000000`
}
