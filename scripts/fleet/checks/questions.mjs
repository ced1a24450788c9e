// Questions, sealed states and task handles: begun on one machine, continued on another.

import { setTimeout as sleep } from 'node:timers/promises'

import { createClient, modernRequest } from '../clients.mjs'
import { openStream, sendRequest } from '../http-client.mjs'
import { eventually } from '../wait.mjs'

const QUESTIONS = JSON.stringify({ questions: [{ text: 'Which colour?', options: ['Red', 'Green'] }] })
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
/** A form that comes back faster is not counted as an answer of a person. */
const READING_MS = 400

export const questionChecks = {
  async 'a question asked on one machine, answered on the page of another'({ user, machines, first }) {
    const wrong = []
    for (const page of machines) {
      const answering = machines[(machines.indexOf(page) + 1) % machines.length]
      const view = await openStream(page.url, { path: '/board', token: user.token })
      const found = () => view.events.flatMap(({ data }) => JSON.parse(data).questions ?? [])
      try {
        if (view.status !== 200) throw new Error(`the page was refused with ${view.status}`)
        await view.next()
        const seen = found().length
        const client = createClient('stateless', { url: first.url, token: user.token })
        const asked = client.call('AskUserQuestion', { questions_json: QUESTIONS }, { limitMs: 20_000 })
        asked.catch(() => {})
        const open = () =>
          found()
            .slice(seen)
            .find(({ waiting }) => waiting)
        const { project, id } = await eventually('the question is on the page', open, { limitMs: 8_000 })
        const body = JSON.stringify({ project, id, replies: [{ outcome: 'answered', selected: ['Red'] }] })
        const sent = await sendRequest(answering.url, { path: '/board/answer', token: user.token, body })
        if (sent.status !== 204) throw new Error(`${answering.name} took the answer with ${sent.status}: ${sent.text}`)
        const { text } = await asked
        if (!/"selected":\s*"Red"/.test(text)) throw new Error(text)
      } catch (error) {
        wrong.push(`page on ${page.name}: ${error.message}`)
      } finally {
        view.close()
      }
    }
    return wrong
  },

  async 'a request state of one machine, used on another'({ user, machines, first }) {
    const call = { name: 'AskUserQuestion', arguments: { questions_json: QUESTIONS } }
    const forms = { elicitation: { form: {} } }
    const send = (machine, params) =>
      sendRequest(machine.url, { token: user.token, ...modernRequest('tools/call', params, forms) })
    const wrong = []
    for (const machine of machines) {
      const { json, text } = await send(first, call)
      const requestState = json?.result?.requestState
      if (requestState === undefined) return [`no state: ${text}`]
      await sleep(READING_MS)
      const inputResponses = { said: { action: 'accept', content: { question_1: 'Green' } } }
      const answer = await send(machine, { ...call, requestState, inputResponses })
      if (!JSON.stringify(answer.json?.result ?? '').includes('Green')) wrong.push(`${machine.name}: ${answer.text}`)
      const again = await send(machines.at(-1), { ...call, requestState, inputResponses })
      if (again.json?.error?.code !== -32602) wrong.push(`the state of ${machine.name} was taken twice: ${again.text}`)
    }
    return wrong
  },

  async 'a task handle of one machine, read on another'({ user, machines, first }) {
    const send = (machine, method, params) =>
      sendRequest(machine.url, { token: user.token, ...modernRequest(method, params, TASKS) })
    // A client that knows tasks gets a handle after 10 seconds.
    const { json, text } = await send(first, 'tools/call', {
      name: 'Bash',
      arguments: { command: 'sleep 11.5; echo handled' },
    })
    const taskId = json?.result?.taskId
    if (taskId === undefined) return [`no handle: ${text}`]
    const wrong = []
    for (const machine of machines) {
      const early = await send(machine, 'tasks/get', { taskId })
      if (early.json?.result?.status === 'failed' || early.json?.error) wrong.push(`${machine.name}: ${early.text}`)
    }
    for (const machine of machines) {
      const get = async () => (await send(machine, 'tasks/get', { taskId })).json
      const over = await eventually('the end of the task', get, {
        fits: (answer) => answer?.error || answer?.result?.status !== 'working',
      })
      if (!JSON.stringify(over.result ?? '').includes('handled')) wrong.push(`${machine.name}: ${JSON.stringify(over)}`)
    }
    return wrong
  },
}
