// The program in a real pseudo-terminal, and what its screen shows, by the same screen that reads the output of commands.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { spawn } from '@lydell/node-pty'
import { rolldown } from 'rolldown'

export async function watchTerminal({ program, project, env }, args) {
  const createScreen = await loadScreen()
  const terminal = spawn(process.execPath, [program, ...args], { cols: 92, rows: 24, cwd: project, env })
  const ended = new Promise((resolve) => terminal.onExit(resolve))
  let printed = ''
  terminal.onData((text) => (printed += text))
  return {
    type: (keys) => terminal.write(keys),
    screen,
    async sees(words) {
      while (!screen().some((line) => line.includes(words))) await sleep(50)
    },
    async close() {
      await sleep(300)
      terminal.write('\u0003')
      await ended
    },
  }

  function screen() {
    const chunks = []
    const view = createScreen((chunk) => chunks.push(Buffer.from(chunk)))
    view.write(Buffer.from(printed))
    return Buffer.concat([...chunks, view.rest()])
      .toString()
      .trimEnd()
      .split('\n')
  }
}

async function loadScreen() {
  const folder = mkdtempSync(join(tmpdir(), 'scene-'))
  const file = join(folder, 'screen.mjs')
  const build = await rolldown({
    input: fileURLToPath(new URL('../../src/lib/screen/screen.ts', import.meta.url)),
    platform: 'node',
  })
  try {
    await build.write({ file, format: 'esm' })
    return (await import(pathToFileURL(file).href)).createScreen
  } finally {
    await build.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
