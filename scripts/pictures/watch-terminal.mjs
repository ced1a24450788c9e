// Runs the program in a pseudo-terminal and reads its screen with the terminal renderer of the program.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { spawn } from '@lydell/node-pty'
import { rolldown } from 'rolldown'

import { SOURCE_CONDITIONS } from '../source-conditions.mjs'

export async function watchTerminal({ program, project, env }, args) {
  const createTerminalRenderer = await loadRenderer()
  const terminal = spawn(process.execPath, [program, ...args], { cols: 92, rows: 24, cwd: project, env })
  const ended = new Promise((resolve) => terminal.onExit(resolve))
  let printed = ''
  terminal.onData((text) => (printed += text))
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
    const chunks = []
    const view = createTerminalRenderer((chunk) => chunks.push(Buffer.from(chunk)))
    view.write(Buffer.from(printed))
    return Buffer.concat([...chunks, view.remainingText()])
      .toString()
      .trimEnd()
      .split('\n')
  }
}

async function loadRenderer() {
  const folder = mkdtempSync(join(tmpdir(), 'scene-'))
  const file = join(folder, 'renderer.mjs')
  const build = await rolldown({
    input: fileURLToPath(new URL('../../packages/server/src/text/terminal/terminal-renderer.ts', import.meta.url)),
    platform: 'node',
    tsconfig: false,
    resolve: { conditionNames: SOURCE_CONDITIONS },
  })
  try {
    await build.write({ file, format: 'esm' })
    return (await import(pathToFileURL(file).href)).createTerminalRenderer
  } finally {
    await build.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
