// Registers skills: their list in the description of InvokeSkill, prompts, resources, and skill definitions for hosts
// that support the Skills extension.

import type { Config } from '../config/load.js'
import type { Log } from '../platform/log.js'
import type { Notices } from '../services/notices.js'
import { openSkillIndex } from '../services/skills/open-index.js'
import type { SkillIndex } from '../services/skills/skill-index.js'
import { invokeSkill } from './invoke-skill.js'
import type { Prompt } from './prompt.js'
import type { Resource, ResourceTemplate } from './resource.js'
import type { Skill } from './skill.js'
import { skillPrompt } from './skill-prompts.js'
import { hostedSkill, skillFiles, skillResource } from './skill-resources.js'
import type { Tool } from './tool.js'
import { skillListing } from './words/skill-listing.js'

export interface SkillOffers {
  readonly index: SkillIndex
  readonly templates: readonly ResourceTemplate[]
  tool(): Tool
  prompts(): readonly Prompt[]
  resources(): readonly Resource[]
  skills(): readonly Skill[]
}

export function openSkillOffers(config: Config, changeEvents: Notices, log: Log): SkillOffers {
  const index = openSkillIndex(config, changeEvents, log)
  return {
    index,
    templates: [skillFiles],
    tool: () => ({
      ...invokeSkill,
      description: `${invokeSkill.description} Available skills:\n${skillListing(index.skills)}`,
    }),
    prompts: () => index.skills.map(skillPrompt),
    resources: () => index.skills.map(skillResource),
    skills: () => index.skills.flatMap((skill) => hostedSkill(skill) ?? []),
  }
}
