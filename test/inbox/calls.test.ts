// The calls of models in the inbox: listed, filtered, opened and run again by key presses in a real pseudo-terminal.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { call } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { DOWN, ENTER, ESC, HAS_TERMINALS, newInboxHome } from '../support/terminal.js'
import { leave, moveTo, openItem } from './navigate.js'

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.skipIf(!HAS_TERMINALS).concurrent('calls', () => {
  test('are listed with why one failed, filtered, and opened with arguments and result', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    await call(server, 'Bash', { command: "echo from the command; printf '\\033]0;pwned'" })
    await call(server, 'ReadDocs', { path: 'missing.pdf' })
    const terminal = await home.inbox({ rows: 30 })
    await openItem(terminal, 'Recent calls')
    await terminal.waitForText(/✗ ReadDocs · [^]*✓ Bash · /)
    terminal.type('f')
    await terminal.waitForText(/Recent calls · Failed[^]*✗ ReadDocs/)
    await terminal.waitForText(/^(?![^]*✓ Bash)/)
    terminal.type('a')
    await terminal.waitForText(/✗ ReadDocs[^]*✓ Bash/)
    terminal.type('/')
    await terminal.waitForText('Search in tools')
    terminal.type('from the command', ENTER)
    await terminal.waitForText(/\/from the command[^]*▸ ✓ Bash/)
    expect(terminal.screen()).not.toContain('ReadDocs')
    terminal.type(ENTER)
    await terminal.waitForText(
      /Bash · [^]*Arguments\n[^]*"command": "echo from the command[^]*Result\nfrom the command/,
    )
    terminal.type('o')
    await terminal.waitForText(/Arguments[^]*Result\nfrom the command[^]*End of text/)
    terminal.type(ENTER)
    await terminal.waitForText('r Run again…')
    terminal.type(ESC)
    await terminal.waitForText('a All calls')
    // A call that arrives meanwhile appears if it matches.
    await call(server, 'Bash', { command: 'echo "and again from the command"' })
    await terminal.waitForText(/✓ Bash · .*and again[^]*▸ ✓ Bash/)
    terminal.type(ESC)
    await leave(terminal)
    expect(terminal.bytes()).not.toContain('\u001B]0;')
    await server.close()
  })

  test('the timeline of a session shows who waited for what', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    await call(server, 'Bash', { command: 'echo first' })
    await call(server, 'BackgroundBash', { command: 'sleep 600' })
    const terminal = await home.inbox({ rows: 30 })
    await terminal.waitForText('Running and scheduled')
    await openItem(terminal, 'Recent calls')
    await terminal.waitForText('w Timeline')
    terminal.type('w')
    await terminal.waitForText(
      /Timeline · test[^]*█ .*Bash echo first[^]*█ .*BackgroundBash sleep 600[^]*░.*running · Job 1/,
    )
    terminal.type(ENTER)
    await terminal.waitForText(
      /The model waited .* for this call\.[^]*Bash · [^]*"command": "echo first"[^]*Result\nfirst/,
    )
    terminal.type(ESC)
    await terminal.waitForText('Enter Open')
    terminal.type(DOWN, DOWN, ENTER)
    await terminal.waitForText(/Job 1 · running for [^]*x Kill…/)
    terminal.type(ESC)
    await terminal.waitForText('Enter Open')
    await call(server, 'SetCallback', { message: 'look later', delay_seconds: 3600 })
    await call(server, 'SetCallback', { message: 'fires now', delay_seconds: 1, repeat_count: 1 })
    await call(server, 'PlanMode', { action: 'enter', goal: 'Paint' })
    const exiting = call(server, 'PlanMode', { action: 'exit', plan: 'Paint it' })
    void exiting.catch(() => {})
    await terminal.waitForText(/waiting · Callback · look later/)
    await terminal.waitForText(/waiting · Plan [^\n]* · exit/)
    await terminal.waitForText(/For the model · \[Callback . fired/)
    terminal.type(ESC, ESC)
    await leave(terminal)
    await server.close()
  })

  test('the image of one is saved in a file of the user', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const source = join(home.cwd, 'dot.png')
    writeFileSync(source, Buffer.from(PNG, 'base64'))
    await call(server, 'ReadImage', { file_path: source })
    const terminal = await home.inbox({ rows: 30 })
    await openItem(terminal, 'Recent calls')
    await openItem(terminal, '✓ ReadImage')
    await terminal.waitForText(/\[image, image\/png, [^]*s Save the image…/)
    const path = join(home.cwd, 'saved.png')
    terminal.type('s')
    await terminal.waitForText(/Save the image to this file:\s+> image\.png/)
    // What is proposed is replaced.
    terminal.type('\u0015', path, ENTER)
    await terminal.waitForText(/Saved \d+ bytes to/)
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    terminal.type(ESC, ESC)
    await leave(terminal)
    await server.close()
  })

  test('one is run again after confirmation, and its new result is shown', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    await call(server, 'Bash', { command: 'echo run >> runs; wc -l < runs' })
    const runs = (): string => readFileSync(join(home.cwd, 'runs'), 'utf8')
    const terminal = await home.inbox({ rows: 30 })
    await openItem(terminal, 'Recent calls')
    await moveTo(terminal, '✓ Bash')
    terminal.type(ENTER)
    await terminal.waitForText(/Result\n1\n/)
    terminal.type('r')
    await terminal.waitForText(/Run Bash again\? [^]*may\s+happen\s+again[^]*y Run again/)
    terminal.type('n')
    await terminal.waitForText('r Run again…')
    expect(runs()).toBe('run\n')
    terminal.type('r', 'y')
    await terminal.waitForText(/Result\n2\n/)
    await eventually(runs, (text) => text === 'run\nrun\n')
    terminal.type(ESC, ESC)
    await leave(terminal)
    await server.close()
  })
})
