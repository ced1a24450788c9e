// The VT100 line drawing character set, with which programs draw boxes.

const FIRST_LETTER = 0x60
const LINE_CHARACTERS = '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'

export function drawLines(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.toString().replace(/[`-~]/g, (letter) => LINE_CHARACTERS.charAt(letter.charCodeAt(0) - FIRST_LETTER)),
  )
}
