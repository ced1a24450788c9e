// A question on a terminal: the client shows the form of AskUserQuestion, it is answered, and the answer reaches the model.
import { setTimeout as delay } from 'node:timers/promises'
import { expectText } from './expect.mjs'
import { prompt, startScriptedModel } from './model/scripted-model.mjs'
import { killProcesses, processesLeft, processesOf } from './processes.mjs'
import { openTerminal } from './terminal.mjs'

/** @returns the error of the session, if there was one, and the processes that were left */
export async function answerOnTerminal({ driver, packages, workspace, wire }) {
  let outcome = new Error('the script was not played')
  const model = await startScriptedModel({
    format: driver.format,
    toolName: driver.toolName,
    received: driver.received,
    async *script() {
      const questions = [{ text: 'Which colour?', options: ['Red', 'Blue'] }]
      const input = { questions_json: JSON.stringify({ questions }) }
      const result = yield { tool: 'AskUserQuestion', input }
      try {
        expectText(result, ['Which colour?', 'Blue'])
        outcome = /NOT ANSWERED|Red/.test(JSON.stringify(result.blocks))
          ? new Error(JSON.stringify(result.blocks))
          : undefined
      } catch (error) {
        outcome = error
      }
    },
  })
  const { file, args, env } = driver.terminal.command({ workspace, packages, model: model.url })
  const terminal = await openTerminal({ file, args, env: { ...workspace.env, ...env }, cwd: workspace.project })
  try {
    await terminal.waitFor(driver.terminal.ready)
    await toolsListed(wire)
    await type(terminal, prompt)
    await terminal.waitFor(/Which colour\?/)
    // The server treats an answer that arrives faster than it can be read as an answer of a program.
    await delay(1500)
    await driver.terminal.answer(terminal)
    await within(terminal, model.finished)
    await terminal.waitFor(/The script is finished/)
    await type(terminal, driver.terminal.quit.trimEnd())
    await within(terminal, terminal.ended)
  } catch (error) {
    outcome = error
    killProcesses(processesOf(workspace.root))
  }
  const left = await processesLeft(workspace.root)
  killProcesses(left)
  await model.close()
  return { outcome, left }
}

/** Enter is pressed when the text is on the screen: some clients treat both at once as pasted text. */
async function type({ press, waitFor }, text) {
  press(text)
  await waitFor(new RegExp(`[›❯]\\s${text.replaceAll('.', '\\.')}`))
  press('\r')
}

/** A prompt that leaves before the server has listed its tools does not offer them to the model. */
async function toolsListed(wire) {
  const listed = () => wire().some(({ from, message }) => from === 'server' && message.result?.tools)
  for (const end = Date.now() + 60_000; !listed(); await delay(50)) {
    if (Date.now() > end) throw new Error('the client did not list the tools of the server')
  }
}

function within({ screen }, promise, limit = 60_000) {
  const late = delay(limit, undefined, { ref: false }).then(() => {
    throw new Error(`nothing more happened; the screen shows ${screen().replaceAll(/\s+/g, ' ').slice(-400)}`)
  })
  return Promise.race([promise, late])
}
