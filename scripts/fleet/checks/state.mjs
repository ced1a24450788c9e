// Tasks, plan mode and callbacks from any machine.

import { setTimeout as sleep } from 'node:timers/promises'

import { callOn } from './jobs.mjs'

const CREATES = 50

export const stateChecks = {
  async 'tasks created on all machines at once'({ fleet, user, machines }) {
    const names = Array.from({ length: CREATES }, (_, index) => `task-${user.name}-${index}`)
    const answers = await inBatches(names, 6, (text, index) =>
      callOn(machines[index % machines.length], user, 'TaskManager', { action: 'create', text, query: '' }),
    )
    const wrong = answers.filter(
      ({ text, isError, status }) => isError || status !== 200 || !/Created task \d+/.test(text),
    )
    const numbers = answers.map(({ text }) => /Created task (\d+)/.exec(text)?.[1])
    const rows = await fleet.sql('SELECT name FROM scorpiox.tasks WHERE name LIKE $1', [`task-${user.name}-%`])
    return [
      ...wrong.slice(0, 2).map(({ text }) => `${wrong.length} creates failed: ${text}`),
      ...(new Set(numbers).size === CREATES ? [] : [`${CREATES} creates have ${new Set(numbers).size} numbers`]),
      ...(rows.length === CREATES ? [] : [`${rows.length} of ${CREATES} tasks are stored`]),
    ]
  },

  async 'plan mode: entered on one machine, ended on another'({ user, machines, first }) {
    const wrong = []
    const last = machines.at(-1)
    const entered = await callOn(first, user, 'PlanMode', {
      action: 'enter',
      goal: 'Look around',
      plan: '# Plan\n\n- [ ] look\n',
    })
    if (entered.isError) wrong.push(`enter: ${entered.text}`)
    for (const machine of machines) {
      const written = await callOn(machine, user, 'Bash', { command: `echo x > planned-${user.name}` })
      if (!written.isError) wrong.push(`${machine.name} lets a command write`)
    }
    const left = await callOn(last, user, 'PlanMode', { action: 'exit' })
    if (left.isError) wrong.push(`exit on ${last.name}: ${left.text}`)
    for (const machine of machines) {
      const written = await callOn(machine, user, 'Bash', { command: `echo x > planned-${user.name}` })
      if (written.isError) wrong.push(`${machine.name} after the end: ${written.text}`)
    }
    return wrong
  },

  async 'a callback set on one machine, delivered on another'({ user, machines, first }) {
    const value = `callback-of-${user.name}-${Date.now()}`
    const set = await callOn(first, user, 'SetCallback', {
      action: 'set',
      message: value,
      delay_seconds: 1,
      repeat_count: 1,
    })
    if (set.isError) return [set.text]
    await sleep(1_300)
    let seen = 0
    for (let round = 0; round < 12 && (seen === 0 || round < 6); round++) {
      const { text } = await callOn(machines[(round + 1) % machines.length], user, 'Bash', { command: 'echo next' })
      seen += text.split(value).length - 1
      if (seen === 0) await sleep(300)
    }
    return seen === 1 ? [] : [`it was delivered ${seen} times`]
  },
}

async function inBatches(items, size, work) {
  const results = []
  for (let start = 0; start < items.length; start += size) {
    results.push(
      ...(await Promise.all(items.slice(start, start + size).map((item, index) => work(item, start + index)))),
    )
  }
  return results
}
