// What must work whichever machine a request reaches: each check begins on one machine and goes on on the others, for
// every machine as the first one. A check resolves to sentences about what did not hold, and may add figures.

import { jobChecks } from './checks/jobs.mjs'
import { operationChecks } from './checks/operations.mjs'
import { questionChecks } from './checks/questions.mjs'
import { sessionChecks } from './checks/sessions.mjs'
import { stateChecks } from './checks/state.mjs'
import { createUsers } from './topology.mjs'

const CHECKS = { ...sessionChecks, ...jobChecks, ...stateChecks, ...questionChecks, ...operationChecks }

export async function runChecks(fleet, report) {
  const users = await createUsers(fleet.machines[0], fleet.machines.length, 'checker')
  for (const [name, check] of Object.entries(CHECKS)) {
    const violations = []
    const figures = { rounds: users.length }
    const startedAt = Date.now()
    // Each user's first request reaches another machine, which so becomes the owner.
    const rounds = users.map(async (user, index) => {
      const machines = [...fleet.machines.slice(index), ...fleet.machines.slice(0, index)]
      try {
        violations.push(...(await check({ fleet, user, machines, figures, first: machines[0] })))
      } catch (error) {
        violations.push(`${user.name}: ${error.message}`)
      }
    })
    await Promise.all(rounds)
    report.add({ part: 'check', name, violations, figures: { ...figures, ms: Date.now() - startedAt } })
  }
}
