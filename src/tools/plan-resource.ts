import type { Plans } from '../services/plans/plans.js'
import { PLAN_URI } from '../services/plans/uri.js'
import { resourcesOver } from './resource.js'

export const planResource = resourcesOver<{ plans: Plans }>()({
  uri: PLAN_URI,
  name: 'plan',
  description: 'Your plan in this project: whether plan mode is on, and the plan that is open or was accepted last.',
  mimeType: 'text/markdown',
  needs: ['plans'],
  watch: ({ plans }, user) => plans.watch(user),
  async read(caller, { plans }) {
    const [status, { statusWords }] = await Promise.all([plans.look(caller), import('./words/plan.js')])
    const statusText = statusWords(status, undefined)
    const text = await plans.text(caller)
    return text === undefined ? statusText : `${statusText}\n\n${text}`
  },
})
