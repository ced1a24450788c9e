// Draws terminals: each scene runs the program in a temporary home directory, and its output is drawn.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { drawTerminal } from './draw-terminal.mjs'
import { SCENES } from './scenes.mjs'
import { openHome } from './home.mjs'

export async function takeTerminals(folder) {
  for (const [name, scene] of Object.entries(SCENES)) {
    const home = openHome()
    try {
      const { title, steps } = await scene(home)
      const clean = steps.map((lines) => lines.map((line) => home.anonymous(line)))
      writeFileSync(
        join(folder, `terminal-${name}.svg`),
        drawTerminal({ title, steps: clean, moving: name === 'shell' }),
      )
    } finally {
      await home.close()
    }
  }
}
