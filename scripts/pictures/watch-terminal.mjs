// Runs the program in a pseudo-terminal, and shows its screen.

import { setTimeout as sleep } from 'node:timers/promises'

import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'

const SIZE = { cols: 92, rows: 24 }

export async function watchTerminal({ program, project, env }, args) {
  const terminal = spawn(process.execPath, [program, ...args], { ...SIZE, cwd: project, env })
  const ended = new Promise((resolve) => terminal.onExit(resolve))
  const display = new headless.Terminal({ ...SIZE, allowProposedApi: true })
  terminal.onData((text) => display.write(text))
  return {
    type: (keys) => terminal.write(keys),
    screen,
    async waitForText(text) {
      while (!screen().some((line) => line.includes(text))) await sleep(50)
    },
    async close() {
      await sleep(300)
      terminal.write('\u0003')
      await ended
    },
  }

  function screen() {
    const { active } = display.buffer
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '')
    return rows.join('\n').trimEnd().split('\n')
  }
}
