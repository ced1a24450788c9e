// A client on a terminal: node-pty runs it, xterm keeps its screen, and keys are pressed when the screen shows what they need.
import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { installClient, terminalEmulator } from './packages.mjs'

const [cols, rows] = [120, 40]

/** @returns `screen()`, `press(keys)`, `waitFor(pattern)` and `ended`, which resolves when the client has exited */
export async function openTerminal({ file, args, env, cwd }) {
  const { folder } = await installClient(terminalEmulator)
  const { Terminal } = createRequire(`${folder}/`)('@xterm/headless')
  const display = new Terminal({ cols, rows, allowProposedApi: true })
  const client = spawn(file, args, { cols, rows, cwd, env, name: 'xterm-256color' })
  client.onData((data) => display.write(data))
  // Answers to what the client asks of the terminal, such as the position of the cursor.
  display.onData((data) => client.write(data))
  const ended = new Promise((settle) => client.onExit(({ exitCode }) => settle(exitCode)))

  function screen() {
    const { active } = display.buffer
    const lines = Array.from(
      { length: rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
    )
    return lines.join('\n')
  }

  return {
    screen,
    ended,
    press: (keys) => client.write(keys),
    async waitFor(pattern, limit = 60_000) {
      const end = Date.now() + limit
      while (!pattern.test(screen())) {
        if (Date.now() > end)
          throw new Error(`no ${pattern} on the screen, but ${screen().replaceAll(/\s+/g, ' ').slice(-400)}`)
        await delay(50)
      }
    },
  }
}
