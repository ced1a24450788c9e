// A prompt with one argument. The client suggests verbs while the user types.
import { definePrompt } from '@scorpiox/mcp'
import { verbs } from './conjugate.mjs'

export const practise = definePrompt({
  name: 'practise',
  description: 'Practise the forms of a verb.',
  arguments: [{ name: 'verb', required: true, complete: (typed) => verbs.filter((verb) => verb.startsWith(typed)) }],
  get: ({ verb }) => [
    { role: 'user', content: `Quiz me on the verb "${verb}", one form at a time. Check my answers with conjugate.` },
  ],
})
