// Files and background jobs of a user, from any machine: the same files, the right job.

import { createClient, message } from '../clients.mjs'
import { openStream, sendRequest } from '../http-client.mjs'
import { openSession } from './sessions.mjs'

const RESULT = 'io.github.scorpiox/result'

export const jobChecks = {
  async 'files written on one machine'({ user, machines, first }) {
    const file = `file-of-${user.name}`
    await callOn(first, user, 'Bash', { command: `echo written > ${file}` })
    const wrong = []
    for (const machine of machines) {
      const { text } = await callOn(machine, user, 'Bash', { command: `cat ${file}` })
      if (text.trim() !== 'written') wrong.push(`${machine.name}: ${text}`)
    }
    return wrong
  },

  async 'jobs: numbers, output and end'({ user, machines }) {
    const wrong = []
    const jobs = []
    for (const machine of machines) {
      const value = `job-on-${machine.name}`
      const { result, text } = await callOn(machine, user, 'BackgroundBash', { command: `echo ${value}; sleep 60` })
      const number = result?._meta?.[RESULT]?.task_id
      if (number === undefined) wrong.push(`${machine.name}: ${text}`)
      else jobs.push({ number, value })
    }
    if (new Set(jobs.map(({ number }) => number)).size < jobs.length)
      wrong.push(`numbers are used twice: ${JSON.stringify(jobs)}`)
    for (const machine of machines) {
      for (const { number, value } of jobs) {
        const read = await callOn(machine, user, 'ReadBgOutput', { task_id: number, tail: 5 })
        if (!commandOf(read).includes(value)) wrong.push(`${machine.name}, job ${number}: ${read.text}`)
      }
      const list = await callOn(machine, user, 'ListBgTasks', {})
      const missing = jobs.filter(({ value }) => !JSON.stringify(list.result).includes(value))
      if (missing.length > 0) wrong.push(`${machine.name} does not list ${JSON.stringify(missing)}`)
    }
    for (const [index, { number, value }] of jobs.entries()) {
      const machine = machines[(index + 1) % machines.length]
      const killed = await callOn(machine, user, 'KillBgTask', { task_id: number })
      if (killed.isError || !commandOf(killed).includes(value)) wrong.push(`${machine.name} ended: ${killed.text}`)
    }
    return wrong
  },

  async 'a job as a resource, subscribed'({ user, machines, first }) {
    const revision = '2025-06-18'
    const session = await openSession(first.url, user.token, revision)
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': revision }
    const wrong = []
    for (const machine of machines) {
      const other = machines.at((machines.indexOf(machine) + 1) % machines.length)
      const started = await callOn(other, user, 'BackgroundBash', { command: 'sleep 1; echo printed; sleep 1' })
      const uri = `scorpiox://jobs/${started.result?._meta?.[RESULT]?.task_id}`
      const stream = await openStream(machine.url, { token: user.token, headers })
      const body = message('resources/subscribe', { uri })
      const { status, text, json } = await sendRequest(machine.url, { token: user.token, headers, body })
      if (json?.result === undefined) wrong.push(`${machine.name}: ${status} ${text}`)
      else {
        await stream
          .message(({ method, params }) => method === 'notifications/resources/updated' && params.uri === uri)
          .catch((error) => wrong.push(`${machine.name}: ${error.message}`))
      }
      stream.close()
    }
    return wrong
  },
}

export function callOn(machine, user, tool, args) {
  return createClient('stateless', { url: machine.url, token: user.token }).call(tool, args)
}

const commandOf = ({ result }) => result?._meta?.[RESULT]?.command ?? ''
