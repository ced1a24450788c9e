// Moves through the lists of the inbox as a person does: looks at the screen and presses keys.

import { expect } from 'vitest'

import { eventually } from '../support/eventually.js'
import { DOWN, ENTER, ESC, type Terminal } from '../support/terminal.js'

const MARK = '▸ '

/** Moves the cursor to the item that begins with the label. No key is on its way afterwards. */
export async function moveTo(terminal: Terminal, label: string): Promise<void> {
  await terminal.waitForText(label)
  for (let steps = 0; steps < 40; steps++) {
    if (isAt(terminal, label)) {
      await readAllKeys(terminal)
      if (isAt(terminal, label)) return
    }
    const before = markedRow(terminal)
    terminal.type(DOWN)
    await eventually(
      () => markedRow(terminal),
      (row) => row !== before,
    )
  }
  await terminal.waitForText(`${MARK}${label}`)
}

export async function openItem(terminal: Terminal, label: string): Promise<void> {
  await moveTo(terminal, label)
  terminal.type(ENTER)
}

/** Leaves with Esc at the first list. */
export async function leave(terminal: Terminal): Promise<void> {
  await terminal.waitForText('q/Esc')
  terminal.type(ESC)
  expect((await terminal.ended).code).toBe(0)
}

/** Keys are read in their order, so the list of keys appears after the effect of all keys before. */
async function readAllKeys(terminal: Terminal): Promise<void> {
  terminal.type('?')
  await eventually(
    () => markedRow(terminal),
    (row) => row === -1,
  )
  terminal.type('?')
  await eventually(
    () => markedRow(terminal),
    (row) => row !== -1,
  )
}

function isAt(terminal: Terminal, label: string): boolean {
  return terminal.screen().includes(`${MARK}${label}`)
}

function markedRow(terminal: Terminal): number {
  return terminal
    .screen()
    .split('\n')
    .findIndex((row) => row.includes(MARK))
}
