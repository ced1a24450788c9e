// Plans that wait for approval, decided in the inbox by key presses in a real pseudo-terminal.

import { describe, expect, test } from 'vitest'

import { call } from '../support/client.js'
import { ENTER, ESC, HAS_TERMINALS, newInboxHome } from '../support/terminal.js'
import { leave, moveTo } from './navigate.js'

const END = '\u001B[F'
const ROWS = Array.from({ length: 60 }, (_, row) => `- [ ] row ${row}`).join('\n')
const PLAN = `# Roof \u001B]0;not hidden\u0007\n${ROWS}\n`

async function submitted(env: NodeJS.ProcessEnv = {}, action = 'exit') {
  const home = newInboxHome()
  const server = home.server()
  await server.initialize('2025-06-18')
  const terminal = await home.inbox({ rows: 30, env })
  await terminal.waitForText('1 server')
  await call(server, 'PlanMode', { action: 'enter', goal: 'A new roof', plan: 'Something else.' })
  const result = call(server, 'PlanMode', { action, ...(action === 'exit' && { plan: PLAN }) })
  const row = action === 'exit' ? 'Plan to approve' : 'Leave plan mode'
  await terminal.waitForText(`${row} · model is waiting · A new roof`)
  expect(terminal.screen()).toContain('1 plan to approve')
  await moveTo(terminal, row)
  terminal.type(ENTER)
  await terminal.waitForText('a Approve')
  return { home, server, terminal, result }
}

describe.skipIf(!HAS_TERMINALS).concurrent('a plan to approve', () => {
  test('is read completely, with what changed, and approved', async () => {
    const { server, terminal, result } = await submitted()
    await terminal.waitForText(/Commands cannot write until you approve the plan\.[^]*# Roof .\]0;not hidden/)
    expect(terminal.screen()).not.toContain('row 59')
    terminal.type(END)
    await terminal.waitForText(/row 59\n── \d+–61 \/ 61/)
    terminal.type('d')
    await terminal.waitForText(/Changes[^]*- Something else\.\n\+ # Roof/)
    terminal.type('d')
    await terminal.waitForText(/# Roof[^]*d Changes/)
    // All of it on the main screen, where it can be scrolled and copied.
    terminal.type('o')
    await terminal.waitForText(/# Roof .\]0;not hidden[^]*row 59\n[^]*End of text/)
    terminal.type(ENTER)
    await terminal.waitForText('a Approve')
    terminal.type('a')
    await terminal.waitForText(/Approve this plan\?\ny Approve/)
    terminal.type('y')
    await terminal.waitForText('Plan approved. Commands can write again.')
    expect((await result).text).toContain('Approved by the user in the terminal inbox.')
    await leave(terminal)
    await server.close()
  })

  test('is rejected with a comment, which is kept when the user goes back', async () => {
    const { server, terminal, result } = await submitted()
    terminal.type('r')
    await terminal.waitForText('What should change?')
    terminal.type('slate, ')
    await terminal.waitForText('> slate,')
    terminal.type(ESC)
    await terminal.waitForText('r Reject…')
    terminal.type('r')
    await terminal.waitForText('> slate,')
    terminal.type('not tiles', ENTER)
    await terminal.waitForText('Plan rejected. Commands still cannot write')
    expect((await result).text).toMatch(/^NOT APPROVED: .* in the terminal inbox\.[^]*comment: slate, not tiles/)
    expect((await call(server, 'PlanMode', { action: 'json' })).structured.active).toBe(true)
    await leave(terminal)
    await server.close()
  })

  test('is edited in the editor of the user and approved', async () => {
    const { server, terminal, result } = await submitted({ VISUAL: '', EDITOR: 'sed -i s/row/line/' })
    terminal.type('e')
    await terminal.waitForText('Approve the edited plan?')
    terminal.type('y')
    await terminal.waitForText('Plan approved. Commands can write again.')
    const { text } = await result
    expect(text).toContain('- [ ] line 59')
    expect(text).not.toContain('- [ ] row')
    await leave(terminal)
    await server.close()
  })

  test('keeps an edited text that was not approved, and opens the editor with it again', async () => {
    // Inserts a line after the first.
    const { server, terminal, result } = await submitted({ VISUAL: '', EDITOR: 'sed -i 1a-mine' })
    terminal.type('e')
    await terminal.waitForText('Approve the edited plan?')
    terminal.type('n')
    await terminal.waitForText(/Your version of the plan is kept\. It was not sent\./)
    terminal.type(ESC)
    await moveTo(terminal, 'Plan to approve')
    terminal.type(ENTER)
    await terminal.waitForText(/Your version of the plan[^]*e Continue editing/)
    terminal.type('v')
    await terminal.waitForText(/Your changes have not been sent yet/)
    expect(terminal.screen()).toMatch(/── 1–\d+ \/ 61/)
    terminal.type('v')
    await terminal.waitForText(/── 1–\d+ \/ 62/)
    terminal.type('e')
    await terminal.waitForText(/\/ 63[^]*Approve the edited plan\?/)
    terminal.type('y')
    expect((await result).text.match(/^-mine$/gm)).toHaveLength(2)
    await leave(terminal)
    await server.close()
  })

  test('keeps an edited text and a comment when the model replaces or withdraws the plan', async () => {
    const { home, server, terminal, result } = await submitted({ VISUAL: '', EDITOR: 'sed -i s/row/line/' })
    terminal.type('e')
    await terminal.waitForText('Approve the edited plan?')
    terminal.type('n')
    await terminal.waitForText('is kept')
    terminal.type('r')
    await terminal.waitForText('What should change?')
    terminal.type('slate')
    await terminal.waitForText('> slate')
    terminal.type(ESC, ESC)
    await terminal.waitForText('q/Esc')
    const replaced = call(server, 'PlanMode', { action: 'exit', plan: '# Another roof\n' })
    await result
    await moveTo(terminal, 'Plan to approve')
    terminal.type(ENTER)
    await terminal.waitForText(/The model has replaced the plan that you edited[^]*# Another roof/)
    terminal.type('r')
    await terminal.waitForText('> slate')
    terminal.type(ESC, 'v')
    await terminal.waitForText('line 0')
    terminal.type('a')
    await terminal.waitForText('Approve the edited plan?')
    terminal.type('n', ESC)
    await terminal.waitForText('q/Esc')
    await home.write(({ approvals }) => approvals.discardOpen('withdrawn', Date.now()))
    await moveTo(terminal, 'Your unsent text · A new roof')
    terminal.type(ENTER)
    await terminal.waitForText(/no longer waits for approval[^]*slate\n[^]*- \[ \] line 0/)
    terminal.type('x')
    await terminal.waitForText('Discard what you typed?')
    terminal.type('y')
    await terminal.waitForText(/^(?![^]*Your unsent text)[^]*q\/Esc/)
    expect((await replaced).text).toContain('withdrawn')
    await leave(terminal)
    await server.close()
  })

  test('an editor that fails, or changes nothing, sends nothing', async () => {
    for (const [editor, message] of [
      ['false', 'The editor failed (exit code 1). Nothing was sent.'],
      ['true', 'You did not change the plan. Nothing was sent.'],
    ] as const) {
      const { server, terminal, result } = await submitted({ VISUAL: editor })
      terminal.type('e')
      await terminal.waitForText(message)
      expect((await call(server, 'PlanMode', { action: 'json' })).structured.active).toBe(true)
      terminal.type('a', 'y')
      expect((await result).structured).toMatchObject({ approval: 'approved' })
      await leave(terminal)
      await server.close()
    }
  })

  test('an editor that fails is reported in the language of the inbox', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const terminal = await home.inbox({ rows: 30, env: { VISUAL: 'false', LC_ALL: 'ko_KR.UTF-8' } })
    await terminal.waitForText('서버 1개')
    await call(server, 'PlanMode', { action: 'enter', goal: 'A new roof' })
    const result = call(server, 'PlanMode', { action: 'exit', plan: PLAN })
    await moveTo(terminal, '승인할 계획')
    terminal.type(ENTER)
    await terminal.waitForText('e 편집…')
    terminal.type('e')
    await terminal.waitForText('편집기 오류(종료 코드 1). 아무것도 보내지 않았습니다.')
    terminal.type('a', 'y')
    expect((await result).structured).toMatchObject({ approval: 'approved' })
    await leave(terminal)
    await server.close()
  })

  test('is discarded with the approval of the user', async () => {
    const { server, terminal, result } = await submitted({}, 'reset')
    expect(terminal.screen()).toContain('Leave plan mode without a plan?')
    expect(terminal.screen()).not.toContain('Edit')
    terminal.type('a', 'y')
    expect((await result).text).toMatch(
      /^Plan mode reset\. No plan saved\.\nApproved by the user in the terminal inbox/,
    )
    await leave(terminal)
    await server.close()
  })

  test('Esc decides nothing, nor does Enter at the confirmation', async () => {
    const { server, terminal, result } = await submitted()
    terminal.type('a')
    await terminal.waitForText('y Approve')
    terminal.type(ENTER)
    await terminal.waitForText('r Reject…')
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    await terminal.waitForText('1 plan to approve')
    await moveTo(terminal, 'Plan to approve')
    terminal.type(ENTER)
    await terminal.waitForText('a Approve')
    terminal.type('a', 'y')
    await result
    await leave(terminal)
    await server.close()
  })
})
