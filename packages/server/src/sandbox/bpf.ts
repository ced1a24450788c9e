// An assembler for classic BPF, the language of seccomp filters: takes instructions with labels, returns the bytes that
// the kernel reads. Jumps go forward only, by at most 255 instructions; a longer one is an error here. Used by
// seccomp-filter.ts. Pure.

export type BpfLine = Instruction | { readonly label: string }

interface Instruction {
  readonly opcode: number
  readonly operand: number
  /** The labels to jump to; by default the next line. */
  readonly yes?: string | undefined
  readonly no?: string | undefined
}

const INSTRUCTION_BYTES = 8
const MAX_JUMP = 255

export function assembleBpf(lines: readonly BpfLine[]): Uint8Array {
  const labelPositions = findLabels(lines)
  const instructions = lines.filter((line) => 'opcode' in line)
  const program = new DataView(new ArrayBuffer(instructions.length * INSTRUCTION_BYTES))
  for (const [at, { opcode, operand, yes, no }] of instructions.entries()) {
    program.setUint16(at * INSTRUCTION_BYTES, opcode, true)
    program.setUint8(at * INSTRUCTION_BYTES + 2, jumpDistance(labelPositions, yes, at))
    program.setUint8(at * INSTRUCTION_BYTES + 3, jumpDistance(labelPositions, no, at))
    program.setUint32(at * INSTRUCTION_BYTES + 4, operand, true)
  }
  return new Uint8Array(program.buffer)
}

/** Loads the 32-bit word at this offset of seccomp_data into the accumulator. */
export const loadWord = (offset: number): BpfLine => ({ opcode: 0x20, operand: offset })
/** Masks the accumulator with these bits. */
export const andMask = (bits: number): BpfLine => ({ opcode: 0x54, operand: bits })
export const ifEqual = (value: number, yes?: string, no?: string): BpfLine => ({
  opcode: 0x15,
  operand: value,
  yes,
  no,
})
export const ifAbove = (value: number, yes?: string, no?: string): BpfLine => ({
  opcode: 0x25,
  operand: value,
  yes,
  no,
})
/** Whether any of these bits is set. */
export const ifAnyBit = (bits: number, yes?: string, no?: string): BpfLine => ({ opcode: 0x45, operand: bits, yes, no })
export const returnValue = (verdict: number): BpfLine => ({ opcode: 0x06, operand: verdict })
export const label = (name: string): BpfLine => ({ label: name })

/** The position of each label, counted in instructions. */
function findLabels(lines: readonly BpfLine[]): ReadonlyMap<string, number> {
  const labelPositions = new Map<string, number>()
  let count = 0
  for (const line of lines) {
    if ('label' in line) labelPositions.set(line.label, count)
    else count++
  }
  return labelPositions
}

function jumpDistance(labelPositions: ReadonlyMap<string, number>, to: string | undefined, from: number): number {
  if (to === undefined) return 0
  const jump = (labelPositions.get(to) ?? Number.NaN) - from - 1
  if (jump >= 0 && jump <= MAX_JUMP) return jump
  throw new Error(`the filter cannot jump to ${to} from instruction ${from}`)
}
