// The line drawing set of the VT100, with which programs draw boxes out of letters.

const FIRST = 0x60
const DRAWN = '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'

export function drawLines(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString().replace(/[`-~]/g, (letter) => DRAWN.charAt(letter.charCodeAt(0) - FIRST)))
}
