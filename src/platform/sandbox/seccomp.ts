// The system calls a sandboxed command may make, as a program for the kernel. Where a call is judged by an argument, only
// its low half is looked at, as the kernel does: comparing all 64 bits is how TIOCSTI once slipped through elsewhere.

import { assemble, giveBack, ifAbove, ifAny, ifEqual, keep, label, load, type Line } from './bpf.js'
import { AUDIT_ARCH, JUDGED, LAST_KNOWN, REFUSED, UNKNOWN, type Architecture, type Numbers } from './syscalls.js'

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
/** TIOCSTI and TIOCLINUX put words into a terminal's input; TIOCSETD makes the kernel load drivers. */
const TERMINAL_TRICKS = [0x5412, 0x541c, 0x5423]
const SET_ID_BITS = 0o6000
/** O_CREAT, and O_TMPFILE's own bit: without them the mode is not looked at, and may be anything. */
const CREATES = 0x40 | 0x400000

const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const SOCK = { stream: 1, dgram: 2, seqpacket: 5 }
const SOCK_TYPE_BITS = 0xf
const NETLINK_ROUTE = 0
/** The default, ICMP, TCP, UDP, ICMPv6 and MPTCP. Others make the kernel load a module. */
const PROTOCOLS = [0, 1, 6, 17, 58, 262]

export function buildFilter(architecture: Architecture): Uint8Array {
  const numbers = (calls: Readonly<Record<string, Numbers>>): readonly number[] =>
    Object.values(calls).flatMap((call) => call[architecture] ?? [])
  return assemble([
    load(ARCHITECTURE),
    ifEqual(AUDIT_ARCH[architecture], undefined, 'kill'),
    load(NUMBER),
    // The numbers of the x32 ABI are beyond it too.
    ifAbove(LAST_KNOWN, 'unknown'),
    ...numbers(REFUSED).map((number) => ifEqual(number, 'refuse')),
    ...numbers(UNKNOWN).map((number) => ifEqual(number, 'unknown')),
    ...Object.entries(RULES).flatMap(([name, rule]) => judge(name, rule, architecture)),
    giveBack(ALLOW),
    label('refuse'),
    giveBack(EPERM),
    label('unknown'),
    giveBack(ENOSYS),
    label('kill'),
    giveBack(KILL_PROCESS),
  ])
}

const RULES: Readonly<Record<keyof typeof JUDGED, readonly Line[]>> = {
  clone: [load(argument(0)), ifAny(NEW_NAMESPACES, 'refuse')],
  socket: [
    load(argument(0)),
    ifEqual(AF.inet, 'internet'),
    ifEqual(AF.inet6, 'internet'),
    ifEqual(AF.netlink, 'netlink'),
    ifEqual(AF.unix, 'refuse'),
    giveBack(EAFNOSUPPORT),
    label('internet'),
    ...typeIsOneOf(SOCK.stream, SOCK.dgram),
    load(argument(2)),
    ...PROTOCOLS.map((protocol) => ifEqual(protocol, 'good socket')),
    giveBack(EPROTONOSUPPORT),
    label('netlink'),
    load(argument(2)),
    ifEqual(NETLINK_ROUTE, undefined, 'refuse'),
    label('good socket'),
  ],
  // A pair is a pipe and harmless, unless an end can be given another address later. Those of SOCK_DGRAM can, and the
  // kernel takes SOCK_RAW for SOCK_DGRAM.
  socketpair: [load(argument(0)), ifEqual(AF.unix, undefined, 'refuse'), ...typeIsOneOf(SOCK.stream, SOCK.seqpacket)],
  ioctl: [load(argument(1)), ...TERMINAL_TRICKS.map((request) => ifEqual(request, 'refuse'))],
  open: whereItCreates(1, 'open', noSetId(2)),
  openat: whereItCreates(2, 'openat', noSetId(3)),
  creat: noSetId(1),
  mknod: noSetId(1),
  mknodat: noSetId(2),
  chmod: noSetId(1),
  fchmod: noSetId(1),
  fchmodat: noSetId(2),
  fchmodat2: noSetId(2),
}

/** The rule for one call; a call that gets to its end is a good one. */
function judge(name: string, rule: readonly Line[], architecture: Architecture): readonly Line[] {
  const calls: Readonly<Record<string, Numbers>> = JUDGED
  const number = calls[name]?.[architecture]
  if (number === undefined) return []
  return [ifEqual(number, undefined, `not ${name}`), ...rule, giveBack(ALLOW), label(`not ${name}`)]
}

function typeIsOneOf(one: number, other: number): readonly Line[] {
  const good = `type ${one} or ${other}`
  return [load(argument(1)), keep(SOCK_TYPE_BITS), ifEqual(one, good), ifEqual(other, undefined, 'refuse'), label(good)]
}

/** No file may be left behind that lends its owner's rights to whoever runs it. */
function noSetId(mode: number): readonly Line[] {
  return [load(argument(mode)), ifAny(SET_ID_BITS, 'refuse')]
}

function whereItCreates(flags: number, name: string, rule: readonly Line[]): readonly Line[] {
  const nothing = `${name} creates nothing`
  return [load(argument(flags)), ifAny(CREATES, undefined, nothing), ...rule, label(nothing)]
}
