// What a running job uses, in the inbox: graphs of processor and memory, and the addresses of its ports.

import { describe, expect, test } from 'vitest'

import { HAS_PROC, readJob, startJob } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { onClose } from '../support/on-close.js'
import { type Requirement, requires, SANDBOX } from '../support/requirements.js'
import { CTRL_C, HAS_TERMINALS, type InboxHome, newInboxHome, type Terminal } from '../support/terminal.js'
import { openItem } from './navigate.js'

const PROC: Requirement = { isMet: HAS_PROC, reason: 'there is no /proc' }
const CYAN = '\u001B[36m'

const SCRIPT = [
  "const server = require('http').createServer().listen(0, '127.0.0.1', () => console.log('port', server.address().port))",
  'setInterval(() => { const end = Date.now() + 50; while (Date.now() < end); }, 100)',
]

async function startListener(home: InboxHome): Promise<{ readonly job: number; readonly port: string }> {
  const server = home.server()
  await server.initialize('2025-06-18')
  onClose(async () => void (await server.close()))
  const job = await startJob(server, `exec ${process.execPath} -e "${SCRIPT.join(';')}"`)
  const text = await eventually(
    async () => (await readJob(server, job, { tail: 1 })).text,
    (printed) => /^port \d+$/m.test(printed),
  )
  return { job, port: /^port (\d+)$/m.exec(text)?.[1] ?? '' }
}

async function openJob(home: InboxHome, job: number, look: Parameters<InboxHome['inbox']>[0]): Promise<Terminal> {
  const terminal = await home.inbox(look)
  onClose(async () => {
    terminal.type(CTRL_C)
    await terminal.ended
  })
  await openItem(terminal, `Job ${job}`)
  return terminal
}

describe.skipIf(!HAS_TERMINALS).concurrent('what a job uses', requires(PROC), () => {
  test('is shown with graphs and peaks, and a port as an address; NO_COLOR is respected', async () => {
    const home = newInboxHome({ SANDBOX: 'off' })
    const { job, port } = await startListener(home)
    const [coloured, plain] = await Promise.all([
      openJob(home, job, {}),
      openJob(home, job, { columns: 40, env: { NO_COLOR: '1' } }),
    ])
    await coloured.waitForText(/\nCPU +[▁-█]+ {2}\d+% · peak \d+% · [^\n]*CPU time\n/)
    await coloured.waitForText(/\nMemory +[▁-█]+ {2}[\d.]+ MB · peak [\d.]+ MB · in 1 process\n/)
    await coloured.waitForText(new RegExp(`\\nPorts +http://127\\.0\\.0\\.1:${port}\\n[^]*\\nport ${port}`))
    // More samples make the graph longer.
    await coloured.waitForText(/\nCPU +[▁-█]{2,}/)
    const graphs = coloured
      .bytes()
      .split(CYAN)
      .filter((part) => /^ *[▁-█]/.test(part))
    expect(graphs.length).toBeGreaterThanOrEqual(2)
    const narrow = await plain.waitForText(/\nCPU +[▁-█]+ {2}\d+% · peak \d+%\n +[^\n]*CPU time\n/)
    expect(narrow).toContain(`http://127.0.0.1:${port}\n`)
    expect(plain.bytes()).not.toContain(CYAN)
    plain.resize(40, 14)
    await plain.waitForText(new RegExp(`\\nCPU \\d+% {2}Memory [^\\n]*\\nhttp://127\\.0\\.0\\.1:${port}\\n`))
  })

  test('a port is no address in a network of its own', requires(SANDBOX), async () => {
    const home = newInboxHome({ SANDBOX: 'strict' })
    const { job, port } = await startListener(home)
    const terminal = await openJob(home, job, {})
    const screen = await terminal.waitForText(new RegExp(`\\nPorts +${port} · reachable only from inside the job\\n`))
    expect(screen).not.toContain('http://')
  })
})
