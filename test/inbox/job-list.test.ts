// The list of all jobs in the inbox: running and ended ones, searched by text.

import { describe, expect, test } from 'vitest'

import { readJob, startJob } from '../support/client.js'
import { onClose } from '../support/on-close.js'
import { ENTER, ESC, HAS_TERMINALS, newInboxHome } from '../support/terminal.js'
import { leave, openItem } from './navigate.js'

describe.skipIf(!HAS_TERMINALS).concurrent('the list of jobs', () => {
  test('has running jobs first, and is searched by command, project, number and last line', async () => {
    const home = newInboxHome({ SANDBOX: 'off' })
    const server = home.server()
    onClose(async () => void (await server.close()))
    await server.initialize('2025-06-18')
    const lint = await startJob(server, 'echo lint; echo some problems')
    await readJob(server, lint, { wait_for_end: true, wait_ms: 120_000 })
    const build = await startJob(server, 'echo built')
    await readJob(server, build, { wait_for_end: true, wait_ms: 120_000 })
    const watch = await startJob(server, 'echo watching; until [ -e stop ]; do sleep 0.05; done')
    const terminal = await home.inbox()
    // Home keeps the jobs that run.
    await terminal.waitForText(new RegExp(`Running and scheduled\\n[^\\n]*Job ${watch} [^]*\\n {2}Jobs · 3\\n`))
    await openItem(terminal, 'Jobs · 3')
    const rows = [`Running\\n▸ Job ${watch} · .* · watching *`, `Ended\\n {2}Job ${build} · .*`, ` {2}Job ${lint} · .*`]
    await terminal.waitForText(new RegExp(rows.join('\\n+')))
    const search = async (text: string): Promise<void> => {
      terminal.type('/')
      await terminal.waitForText('Search commands')
      // What was searched for before is replaced.
      terminal.type('\u0015', text, ENTER)
      if (text !== '') await terminal.waitForText(`Jobs · /${text} · `)
    }
    await search('PROBLEMS lint')
    await terminal.waitForText(new RegExp(`▸ Job ${lint} `))
    expect(terminal.screen()).not.toContain(`Job ${build} `)
    await search(`job ${watch}`)
    await terminal.waitForText(new RegExp(`▸ Job ${watch} `))
    await search(home.cwd.split('/').at(-1) ?? '')
    await terminal.waitForText(new RegExp(`Job ${watch} [^]*Job ${build} [^]*Job ${lint} `))
    await search('nowhere')
    await terminal.waitForText('No jobs match.')
    await search('')
    await terminal.waitForText(new RegExp(`Job ${watch} [^]*Job ${build} [^]*Job ${lint} `))
    // The cursor stays on a job that ends while it is listed.
    await server.request('tools/call', { name: 'Bash', arguments: { command: 'touch stop' } })
    await terminal.waitForText(/^(?![^]*Running)[^]*Ended/)
    terminal.type(ENTER)
    await terminal.waitForText(new RegExp(`Job ${watch} · exit code 0 after .* · now · [^]*\\nwatching`))
    terminal.type(ESC)
    await terminal.waitForText('Enter Open')
    terminal.type(ESC)
    await leave(terminal)
  })

  test('opens the new job when one is restarted', async () => {
    const home = newInboxHome({ SANDBOX: 'off' })
    const server = home.server()
    onClose(async () => void (await server.close()))
    await server.initialize('2025-06-18')
    const job = await startJob(server, 'echo again; sleep 600')
    const terminal = await home.inbox({ columns: 120 })
    await openItem(terminal, 'Jobs ·')
    await openItem(terminal, `Job ${job}`)
    await terminal.waitForText('r Restart…')
    terminal.type('r')
    await terminal.waitForText(`Restart job ${job}?`)
    terminal.type('y')
    await terminal.waitForText(
      new RegExp(
        `│ Job ${job + 1} · running for [^]*▸ Job ${job + 1} [^]*│ again\\n[^]*Started again as job ${job + 1}`,
      ),
    )
    // It has the focus.
    await terminal.waitForText('x Kill…')
    terminal.type(ESC)
    await terminal.waitForText('Enter Open')
    terminal.type(ESC)
    await leave(terminal)
  })
})
