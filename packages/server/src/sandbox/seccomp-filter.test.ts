import { existsSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { assembleBpf, type BpfLine, ifEqual, label, loadWord, returnValue } from './bpf.js'
import { buildSeccompFilter } from './seccomp-filter.js'
import {
  ANSWERED_ENOSYS,
  type Architecture,
  AUDIT_ARCH,
  type CallNumbers,
  CHECKED_BY_ARGUMENT,
  DENIED,
  HIGHEST_KNOWN,
} from './syscall-numbers.js'

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64']
const ALLOWED = 'allowed'
const EPERM = 'errno 1'
const ENOSYS = 'errno 38'

interface Call {
  readonly architecture?: number
  readonly number: number
  readonly args?: readonly (number | bigint)[]
}

/** An interpreter for the few BPF instructions that the filter uses. */
function runFilter(program: Uint8Array, { architecture = 0, number, args = [] }: Call): string {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, number, true)
  data.setUint32(4, architecture, true)
  for (const [at, value] of args.entries()) data.setBigUint64(16 + 8 * at, BigInt.asUintN(64, BigInt(value)), true)
  let accumulator = 0
  for (let at = 0; ; at++) {
    const opcode = code.getUint16(at * 8, true)
    const operand = code.getUint32(at * 8 + 4, true)
    const jump = (holds: boolean): number => code.getUint8(at * 8 + (holds ? 2 : 3))
    if (opcode === 0x20) accumulator = data.getUint32(operand, true)
    else if (opcode === 0x54) accumulator = (accumulator & operand) >>> 0
    else if (opcode === 0x15) at += jump(accumulator === operand)
    else if (opcode === 0x25) at += jump(accumulator > operand)
    else if (opcode === 0x45) at += jump((accumulator & operand) !== 0)
    else if (opcode === 0x06) return verdict(operand)
    else throw new Error(`the kernel does not know instruction ${opcode.toString(16)}`)
  }
}

function verdict(value: number): string {
  if (value === 0x7fff0000) return ALLOWED
  if (value === 0x80000000) return 'killed'
  return value >>> 16 === 5 ? `errno ${value & 0xffff}` : `unknown verdict ${value}`
}

function callOn(
  architecture: Architecture,
): (name: keyof typeof CHECKED_BY_ARGUMENT, ...args: (number | bigint)[]) => string {
  const program = buildSeccompFilter(architecture)
  const calls: Readonly<Record<string, CallNumbers>> = CHECKED_BY_ARGUMENT
  return (name, ...args) => {
    const number = calls[name]?.[architecture]
    if (number === undefined) throw new Error(`${architecture} has no ${name}`)
    return runFilter(program, { architecture: AUDIT_ARCH[architecture], number, args })
  }
}

function numbersOf(calls: Readonly<Record<string, CallNumbers>>, architecture: Architecture): readonly number[] {
  return Object.values(calls).flatMap((numbers) => numbers[architecture] ?? [])
}

test.each(ARCHITECTURES)(
  'every call of %s is denied, unknown, checked or allowed according to the tables',
  (architecture) => {
    const program = buildSeccompFilter(architecture)
    const refused = new Set(numbersOf(DENIED, architecture))
    const unknown = new Set(numbersOf(ANSWERED_ENOSYS, architecture))
    const checkedNumbers = new Set(numbersOf(CHECKED_BY_ARGUMENT, architecture))
    for (let number = 0; number <= 600; number++) {
      if (checkedNumbers.has(number)) continue
      const expected = refused.has(number) ? EPERM : unknown.has(number) || number > HIGHEST_KNOWN ? ENOSYS : ALLOWED
      expect(`${number} ${runFilter(program, { architecture: AUDIT_ARCH[architecture], number })}`).toBe(
        `${number} ${expected}`,
      )
    }
  },
)

test.each(ARCHITECTURES)(
  'on %s another architecture kills the process, and the x32 numbers are unknown',
  (architecture) => {
    const program = buildSeccompFilter(architecture)
    for (const foreign of [0x40000003, 0x40000028, 0xc00000f3, 0]) {
      expect(runFilter(program, { architecture: foreign, number: 1 })).toBe('killed')
    }
    for (const number of [0x40000000, 0x40000027, 0x400000a5, 0xffffffff]) {
      expect(runFilter(program, { architecture: AUDIT_ARCH[architecture], number })).toBe(ENOSYS)
    }
  },
)

test.each(ARCHITECTURES)('on %s clone works, but not with new namespaces', (architecture) => {
  const call = callOn(architecture)
  expect(call('clone', 17)).toBe(ALLOWED)
  expect(call('clone', 0x003d0f00)).toBe(ALLOWED)
  for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
    expect(call('clone', flag | 17)).toBe(EPERM)
    expect(call('clone', 0xffff_0000_0000_0000n | BigInt(flag))).toBe(EPERM)
  }
})

test.each(ARCHITECTURES)('on %s only internet sockets can be created', (architecture) => {
  const call = callOn(architecture)
  const flags = 0o2004000
  for (const family of [2, 10]) {
    for (const type of [1, 2, 1 | flags, 2 | flags]) expect(call('socket', family, type, 0)).toBe(ALLOWED)
    for (const protocol of [1, 6, 17, 58, 262]) expect(call('socket', family, 1, protocol)).toBe(ALLOWED)
    for (const protocol of [2, 33, 115, 132, 136, 255]) expect(call('socket', family, 1, protocol)).toBe('errno 93')
    for (const type of [0, 3, 4, 5, 6, 10, 3 | flags]) expect(call('socket', family, type, 0)).toBe(EPERM)
  }
  expect(call('socket', 16, 3 | flags, 0)).toBe(ALLOWED)
  for (const protocol of [4, 9, 12, 15, 16]) expect(call('socket', 16, 3, protocol)).toBe(EPERM)
  for (const type of [1, 2, 5]) expect(call('socket', 1, type, 0)).toBe(EPERM)
  expect(call('socket', 0x1_0000_0001n, 1, 0)).toBe(EPERM)
  for (const family of [0, 3, 17, 31, 38, 40, 44]) expect(call('socket', family, 1, 0)).toBe('errno 97')
})

test.each(ARCHITECTURES)('on %s socketpair allows only connected types', (architecture) => {
  const call = callOn(architecture)
  const flags = 0o2004000
  for (const type of [1, 5, 1 | flags, 5 | flags]) expect(call('socketpair', 1, type, 0)).toBe(ALLOWED)
  for (const type of [2, 3, 2 | flags, 3 | flags, 0]) expect(call('socketpair', 1, type, 0)).toBe(EPERM)
  for (const family of [2, 16, 30]) expect(call('socketpair', family, 1, 0)).toBe(EPERM)
})

test.each(ARCHITECTURES)('on %s terminal input cannot be injected', (architecture) => {
  const call = callOn(architecture)
  for (const request of [0x5412, 0x541c, 0x5423]) {
    expect(call('ioctl', 0, request)).toBe(EPERM)
    expect(call('ioctl', 0, BigInt(request) | 0x1_0000_0000n)).toBe(EPERM)
  }
  for (const request of [0x5401, 0x5413, 0x541b]) expect(call('ioctl', 0, request)).toBe(ALLOWED)
})

test('no file can get set-uid or set-gid bits', () => {
  const [call, callArm] = [callOn('x64'), callOn('arm64')]
  for (const bit of [0o4000, 0o2000, 0o6000]) {
    const mode = 0o755 | bit
    expect(call('chmod', 0, mode)).toBe(EPERM)
    expect(call('fchmod', 0, mode)).toBe(EPERM)
    expect(call('fchmodat', 0, 0, mode)).toBe(EPERM)
    expect(call('fchmodat2', 0, 0, mode)).toBe(EPERM)
    expect(call('creat', 0, mode)).toBe(EPERM)
    expect(call('mknod', 0, 0o100000 | mode)).toBe(EPERM)
    expect(callArm('mknodat', 0, 0, 0o100000 | mode)).toBe(EPERM)
    for (const creating of [0o100, 0o20200000, 0o102]) {
      expect(call('open', 0, creating, mode)).toBe(EPERM)
      expect(callArm('openat', 0, 0, creating, mode)).toBe(EPERM)
    }
    // Without O_CREAT the mode argument has any value.
    expect(call('open', 0, 0, mode)).toBe(ALLOWED)
    expect(call('openat', 0, 0, 2, mode)).toBe(ALLOWED)
  }
  for (const mode of [0o644, 0o1777, 0o100644]) {
    expect(call('chmod', 0, mode)).toBe(ALLOWED)
    expect(callArm('fchmodat', 0, 0, mode)).toBe(ALLOWED)
    expect(call('openat', 0, 0, 0o100, mode)).toBe(ALLOWED)
  }
})

test.each([
  ['x64', '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'],
  ['arm64', '/usr/include/asm-generic/unistd.h'],
] as const)('the numbers of %s are those of the kernel headers, where there are any', (architecture, header) => {
  if (!existsSync(header)) return
  const known = new Map(
    [...readFileSync(header, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(([, name, number]) => [
      name,
      Number(number),
    ]),
  )
  for (const [name, numbers] of Object.entries<CallNumbers>({
    ...DENIED,
    ...ANSWERED_ENOSYS,
    ...CHECKED_BY_ARGUMENT,
  })) {
    if (known.has(name)) expect(`${name} ${numbers[architecture]}`).toBe(`${name} ${known.get(name)}`)
  }
})

test('a jump that is too long is an error', () => {
  const far: BpfLine[] = [
    ifEqual(1, 'end'),
    ...Array.from({ length: 256 }, () => loadWord(0)),
    label('end'),
    returnValue(0),
  ]
  expect(() => assembleBpf(far)).toThrow('cannot jump to end')
  expect(() => assembleBpf([label('back'), ifEqual(1, 'back'), returnValue(0)])).toThrow('cannot jump to back')
  expect(() => assembleBpf([ifEqual(1, 'nowhere'), returnValue(0)])).toThrow('cannot jump to nowhere')
})
