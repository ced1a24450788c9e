// Skills as prompts. A script skill is shown as text, not run.

import type { Skill } from '../services/skills/skill.js'
import type { Skills } from '../services/skills/skills.js'
import { promptsOver, type Prompt } from './prompt.js'
import { skillText } from './words/skill.js'

const define = promptsOver<{ skills: Skills }>()

export function skillPrompt({ name, description, hint }: Skill): Prompt {
  return define({
    name,
    description,
    arguments: [{ name: 'arguments', description: hint ?? 'Arguments to pass to the skill', required: false }],
    needs: ['skills'],
    async get({ arguments: args = '' }, _call, { skills }) {
      return [{ role: 'user', content: skillText(await skills.open(name), args) }]
    },
  })
}
