// Measures callbacks and questions: setting a callback, a question without any channel, and one that is answered on the page (time
// until it is shown, and from the answer to the result of the call).

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { dataOf, withShellServers } from './shell-client.mjs'
import { project } from './start.mjs'

const TURNS = 20
const QUESTION = JSON.stringify({ questions: [{ text: 'Which?', options: ['this', 'that'] }] })

const call = async (client, name, args) => {
  const answer = await client.request('tools/call', { name, arguments: args })
  if (answer.result?.isError !== false) throw new Error(`not a success: ${JSON.stringify(answer.reply).slice(0, 300)}`)
  return answer
}

const ask = (client) => call(client, 'AskUserQuestion', { questions_json: QUESTION })

/** The page, as its code uses it. */
const openPage = async (shell, env) => {
  const child = spawn(shell[0], [...shell.slice(1), 'ui', '--no-open'], {
    cwd: project,
    env: { ...process.env, ...env },
  })
  const [, url, key] = await new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = /(http:\/\/\S+?)\/?#key=(\S+)/.exec(text)
      if (found) resolve(found)
    })
  })
  const headers = { authorization: `Bearer ${key}` }
  const stopping = new AbortController()
  const { body } = await fetch(`${url}/board`, { headers, signal: stopping.signal })
  const seen = { servers: [], questions: [] }
  const waiting = new Set()
  const read = async () => {
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const events = text.split('\n\n')
      text = events.pop()
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data) Object.assign(seen, JSON.parse(data))
      }
      for (const look of waiting) look()
    }
  }
  read().catch(() => {})
  const until = (isSo) =>
    new Promise((resolve) => {
      const look = () => {
        if (!isSo(seen)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  const answer = ({ project: where, id }) =>
    fetch(`${url}/board/answer`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ project: where, id, replies: [{ outcome: 'answered', selected: ['this'] }] }),
    })
  const close = async () => {
    stopping.abort()
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  return { seen, until, answer, close }
}

const answered = async (client, page, record) => {
  for (let turn = 0; turn < TURNS; turn++) {
    const askedAt = performance.now()
    const asked = ask(client)
    await page.until(({ questions }) => questions.length > 0)
    record('peopleShown', performance.now() - askedAt)
    const answeredAt = performance.now()
    await page.answer(page.seen.questions[0])
    const { result } = await asked
    record('peopleHeard', performance.now() - answeredAt)
    if (dataOf({ result }).surface !== 'page') throw new Error('not answered on the page')
    await page.until(({ questions }) => questions.length === 0)
  }
}

export const peoplePhase = {
  name: 'people',
  subjects: ['server'],
  over: 'shell',
  async measure({ key, shell }, record) {
    const STATE_DIR = mkdtempSync(join(tmpdir(), 'bench-people-'))
    try {
      await withShellServers([{ key, command: shell, env: { STATE_DIR } }], async ([client]) => {
        for (let turn = 0; turn < TURNS; turn++) {
          const set = await call(client, 'SetCallback', { action: 'set', message: 'later', delay_seconds: 3600 })
          record(turn === 0 ? 'peopleFirst' : 'peopleSet', set.ms)
          await call(client, 'SetCallback', { action: 'cancel' })
          record('peopleText', (await ask(client)).ms)
        }
      })
      rmSync(STATE_DIR, { recursive: true, force: true })
      const page = await openPage(shell, { STATE_DIR })
      await withShellServers([{ key, command: shell, env: { STATE_DIR } }], async ([client]) => {
        await page.until(({ servers }) => servers.length > 0)
        await answered(client, page, record)
      })
      await page.close()
    } finally {
      rmSync(STATE_DIR, { recursive: true, force: true })
    }
  },
  full: { rounds: 5 },
  quick: { rounds: 1 },
}
