// An assembler for classic BPF, the language of seccomp: lines with labels in, the bytes the kernel reads out.
// Jumps only go forward and at most 255 lines, as the machine has it; a program that needs more is refused here.

export type Line = Instruction | { readonly label: string }

interface Instruction {
  readonly opcode: number
  readonly operand: number
  /** Labels to go on at; without one it is the next line. */
  readonly yes?: string | undefined
  readonly no?: string | undefined
}

const INSTRUCTION_BYTES = 8
const MAX_JUMP = 255

export function assemble(lines: readonly Line[]): Uint8Array {
  const places = placesOf(lines)
  const instructions = lines.filter((line) => 'opcode' in line)
  const program = new DataView(new ArrayBuffer(instructions.length * INSTRUCTION_BYTES))
  for (const [at, { opcode, operand, yes, no }] of instructions.entries()) {
    program.setUint16(at * INSTRUCTION_BYTES, opcode, true)
    program.setUint8(at * INSTRUCTION_BYTES + 2, distance(places, yes, at))
    program.setUint8(at * INSTRUCTION_BYTES + 3, distance(places, no, at))
    program.setUint32(at * INSTRUCTION_BYTES + 4, operand, true)
  }
  return new Uint8Array(program.buffer)
}

/** Takes the 32-bit word at this offset of seccomp_data into the accumulator. */
export const load = (offset: number): Line => ({ opcode: 0x20, operand: offset })
/** Keeps only these bits of it. */
export const keep = (bits: number): Line => ({ opcode: 0x54, operand: bits })
export const ifEqual = (value: number, yes?: string, no?: string): Line => ({ opcode: 0x15, operand: value, yes, no })
export const ifAbove = (value: number, yes?: string, no?: string): Line => ({ opcode: 0x25, operand: value, yes, no })
/** Whether one of these bits is set. */
export const ifAny = (bits: number, yes?: string, no?: string): Line => ({ opcode: 0x45, operand: bits, yes, no })
export const giveBack = (verdict: number): Line => ({ opcode: 0x06, operand: verdict })
export const label = (name: string): Line => ({ label: name })

/** Where each label stands, counted in instructions. */
function placesOf(lines: readonly Line[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  let count = 0
  for (const line of lines) {
    if ('label' in line) places.set(line.label, count)
    else count++
  }
  return places
}

function distance(places: ReadonlyMap<string, number>, to: string | undefined, from: number): number {
  if (to === undefined) return 0
  const jump = (places.get(to) ?? Number.NaN) - from - 1
  if (jump >= 0 && jump <= MAX_JUMP) return jump
  throw new Error(`the filter cannot jump to ${to} from instruction ${from}`)
}
