// A row of a terminal's screen as text with SGR sequences, none of which lasts beyond the row. Used by terminal-screen.ts,
// for people who look at the screen. Pure.

import type { IBufferCell, IBufferLine } from '@xterm/headless'

const RESET = '\u001B[m'

export function formatStyledRow(line: IBufferLine): string {
  let text = ''
  let active = ''
  /** Blanks without a style, which are left out at the end. */
  let blanks = ''
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column)
    // A wide character takes two cells, of which the second one has no width.
    if (!cell || cell.getWidth() === 0) continue
    const characters = cell.getChars() || ' '
    const style = formatStyle(cell)
    if (style === '' && characters === ' ') {
      blanks += ' '
      continue
    }
    if (active !== '' && (blanks !== '' || style !== active)) {
      text += RESET
      active = ''
    }
    text += blanks
    blanks = ''
    if (style !== active) text += style
    active = style
    text += characters
  }
  return active === '' ? text : text + RESET
}

function formatStyle(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return ''
  const codes = [
    ...(cell.isBold() ? [1] : []),
    ...(cell.isDim() ? [2] : []),
    ...(cell.isItalic() ? [3] : []),
    ...(cell.isUnderline() ? [4] : []),
    ...(cell.isInverse() ? [7] : []),
    ...(cell.isStrikethrough() ? [9] : []),
    ...(cell.isFgDefault() ? [] : toColourCodes(cell.getFgColor(), cell.isFgRGB(), 30)),
    ...(cell.isBgDefault() ? [] : toColourCodes(cell.getBgColor(), cell.isBgRGB(), 40)),
  ]
  return codes.length === 0 ? '' : `\u001B[${codes.join(';')}m`
}

/** `base`: the code of the first palette colour. */
function toColourCodes(colour: number, isTrueColour: boolean, base: 30 | 40): readonly number[] {
  if (isTrueColour) return [base + 8, 2, (colour >> 16) & 255, (colour >> 8) & 255, colour & 255]
  if (colour < 8) return [base + colour]
  return colour < 16 ? [base + 60 + colour - 8] : [base + 8, 5, colour]
}
