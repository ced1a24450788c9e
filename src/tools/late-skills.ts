// Skills among what else a server offers, without looking for any before a list is asked for: a client that only says
// hello waits for none of it.

import type { Prompt } from './prompt.js'
import type { Resource, ResourceTemplate } from './resource.js'
import type { Skill } from './skill.js'
import type { SkillOffers } from './skill-offers.js'
import type { Tool } from './tool.js'

export interface LateSkills {
  open(): SkillOffers
  /** The members of a server's description. */
  among(others: Offers): AllOffers
}

interface Offers {
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
}

interface AllOffers {
  tools(): readonly Tool[]
  resources(): readonly Resource[]
  templates(): readonly ResourceTemplate[]
  prompts(): readonly Prompt[]
  skills(): readonly Skill[]
  prepare(): Promise<void> | undefined
}

export function lateSkills(make: () => SkillOffers): LateSkills {
  let offers: SkillOffers | undefined
  const open = (): SkillOffers => (offers ??= make())

  return {
    open,
    among: ({ tools, resources, templates }) => ({
      tools: () => tools.map((tool) => (offers && tool.name === 'InvokeSkill' ? offers.tool() : tool)),
      resources: () => [...resources, ...(offers?.resources() ?? [])],
      templates: () => [...templates, ...(offers?.templates ?? [])],
      prompts: () => offers?.prompts() ?? [],
      skills: () => offers?.skills() ?? [],
      prepare: () => open().index.refresh(),
    }),
  }
}
