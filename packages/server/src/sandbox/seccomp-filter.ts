// Builds the seccomp filter of sandboxed commands as BPF bytes, from the tables in syscall-numbers.ts. Where a call is
// checked by an argument, only its low 32 bits are compared, as the kernel does: comparing all 64 bits has let TIOCSTI
// through in other sandboxes. Used by sandbox-files.ts, which writes it to a file. Pure.

import { andMask, assembleBpf, type BpfLine, ifAbove, ifAnyBit, ifEqual, label, loadWord, returnValue } from './bpf.js'
import {
  ANSWERED_ENOSYS,
  type Architecture,
  AUDIT_ARCH,
  type CallNumbers,
  CHECKED_BY_ARGUMENT,
  DENIED,
  HIGHEST_KNOWN,
} from './syscall-numbers.js'

const NUMBER = 0
const ARCHITECTURE = 4
const argument = (index: number): number => 16 + 8 * index

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const error = (errno: number): number => 0x00050000 | errno
const EPERM = error(1)
const ENOSYS = error(38)
const EPROTONOSUPPORT = error(93)
const EAFNOSUPPORT = error(97)

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e020000
/** TIOCSTI and TIOCLINUX insert text into the input of a terminal; TIOCSETD makes the kernel load drivers. */
const DENIED_IOCTLS = [0x5412, 0x541c, 0x5423]
const SET_ID_BITS = 0o6000
/** O_CREAT, and the bit of O_TMPFILE: without them the mode is ignored, and may have any value. */
const CREATE_FLAGS = 0x40 | 0x400000

const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const SOCK = { stream: 1, dgram: 2, seqpacket: 5 }
const SOCK_TYPE_BITS = 0xf
const NETLINK_ROUTE = 0
/** The default, ICMP, TCP, UDP, ICMPv6 and MPTCP. Others make the kernel load a module. */
const PROTOCOLS = [0, 1, 6, 17, 58, 262]

export function buildSeccompFilter(architecture: Architecture): Uint8Array {
  const numbers = (calls: Readonly<Record<string, CallNumbers>>): readonly number[] =>
    Object.values(calls).flatMap((call) => call[architecture] ?? [])
  return assembleBpf([
    loadWord(ARCHITECTURE),
    ifEqual(AUDIT_ARCH[architecture], undefined, 'kill'),
    loadWord(NUMBER),
    // Also denies the numbers of the x32 ABI.
    ifAbove(HIGHEST_KNOWN, 'unknown'),
    ...numbers(DENIED).map((number) => ifEqual(number, 'refuse')),
    ...numbers(ANSWERED_ENOSYS).map((number) => ifEqual(number, 'unknown')),
    ...Object.entries(ARGUMENT_RULES).flatMap(([name, rule]) => checkArguments(name, rule, architecture)),
    returnValue(ALLOW),
    label('refuse'),
    returnValue(EPERM),
    label('unknown'),
    returnValue(ENOSYS),
    label('kill'),
    returnValue(KILL_PROCESS),
  ])
}

const ARGUMENT_RULES: Readonly<Record<keyof typeof CHECKED_BY_ARGUMENT, readonly BpfLine[]>> = {
  clone: [loadWord(argument(0)), ifAnyBit(NEW_NAMESPACES, 'refuse')],
  socket: [
    loadWord(argument(0)),
    ifEqual(AF.inet, 'internet'),
    ifEqual(AF.inet6, 'internet'),
    ifEqual(AF.netlink, 'netlink'),
    ifEqual(AF.unix, 'refuse'),
    returnValue(EAFNOSUPPORT),
    label('internet'),
    ...requireSocketType(SOCK.stream, SOCK.dgram),
    loadWord(argument(2)),
    ...PROTOCOLS.map((protocol) => ifEqual(protocol, 'good socket')),
    returnValue(EPROTONOSUPPORT),
    label('netlink'),
    loadWord(argument(2)),
    ifEqual(NETLINK_ROUTE, undefined, 'refuse'),
    label('good socket'),
  ],
  // A socket pair is like a pipe and harmless, unless an end can be connected elsewhere later. Those of SOCK_DGRAM can,
  // and the kernel treats SOCK_RAW as SOCK_DGRAM.
  socketpair: [
    loadWord(argument(0)),
    ifEqual(AF.unix, undefined, 'refuse'),
    ...requireSocketType(SOCK.stream, SOCK.seqpacket),
  ],
  ioctl: [loadWord(argument(1)), ...DENIED_IOCTLS.map((request) => ifEqual(request, 'refuse'))],
  open: onlyIfCreating(1, 'open', denySetIdBits(2)),
  openat: onlyIfCreating(2, 'openat', denySetIdBits(3)),
  creat: denySetIdBits(1),
  mknod: denySetIdBits(1),
  mknodat: denySetIdBits(2),
  chmod: denySetIdBits(1),
  fchmod: denySetIdBits(1),
  fchmodat: denySetIdBits(2),
  fchmodat2: denySetIdBits(2),
}

/** The rule for one call; a call that reaches its end is allowed. */
function checkArguments(name: string, rule: readonly BpfLine[], architecture: Architecture): readonly BpfLine[] {
  const calls: Readonly<Record<string, CallNumbers>> = CHECKED_BY_ARGUMENT
  const number = calls[name]?.[architecture]
  if (number === undefined) return []
  return [ifEqual(number, undefined, `not ${name}`), ...rule, returnValue(ALLOW), label(`not ${name}`)]
}

function requireSocketType(one: number, other: number): readonly BpfLine[] {
  const good = `type ${one} or ${other}`
  return [
    loadWord(argument(1)),
    andMask(SOCK_TYPE_BITS),
    ifEqual(one, good),
    ifEqual(other, undefined, 'refuse'),
    label(good),
  ]
}

/** No set-uid or set-gid file may be created. */
function denySetIdBits(mode: number): readonly BpfLine[] {
  return [loadWord(argument(mode)), ifAnyBit(SET_ID_BITS, 'refuse')]
}

function onlyIfCreating(flags: number, name: string, rule: readonly BpfLine[]): readonly BpfLine[] {
  const nothing = `${name} creates nothing`
  return [loadWord(argument(flags)), ifAnyBit(CREATE_FLAGS, undefined, nothing), ...rule, label(nothing)]
}
