// A prompt that a person picks, and the verbs that complete what they type.
import { definePrompt } from 'scorpiox-code'
import { verbs } from './conjugate.mjs'

export const practise = definePrompt({
  name: 'practise',
  description: 'Practise a verb with the model.',
  arguments: [{ name: 'verb', required: true, complete: (typed) => verbs.filter((verb) => verb.startsWith(typed)) }],
  get: ({ verb }) => [
    { role: 'user', content: `Quiz me on the verb "${verb}", one form at a time. Check my answers with conjugate.` },
  ],
})
