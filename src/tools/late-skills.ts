// Adds skills to a server's tools, resources and prompts. The skill index is opened by the first list request, so that
// `initialize` does not wait for it.

import type { Prompt } from './prompt.js'
import type { Resource, ResourceTemplate } from './resource.js'
import type { Skill } from './skill.js'
import type { SkillOffers } from './skill-offers.js'
import type { Tool } from './tool.js'

export interface LateSkills {
  open(): SkillOffers
  /** The list members of a server definition. */
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

export function lateSkills(openRegistrations: () => SkillOffers): LateSkills {
  let registrations: SkillOffers | undefined
  const open = (): SkillOffers => (registrations ??= openRegistrations())

  return {
    open,
    among: ({ tools, resources, templates }) => ({
      tools: () => tools.map((tool) => (registrations && tool.name === 'InvokeSkill' ? registrations.tool() : tool)),
      resources: () => [...resources, ...(registrations?.resources() ?? [])],
      templates: () => [...templates, ...(registrations?.templates ?? [])],
      prompts: () => registrations?.prompts() ?? [],
      skills: () => registrations?.skills() ?? [],
      prepare: () => open().index.refresh(),
    }),
  }
}
