// Reduces resources, resource templates and prompts to the fields each revision knows: titles exist since 2025-06-18, icons
// since 2025-11-25. Used by methods/prompts and methods/resources. Pure.

import type { PromptArgument, PromptDefinition } from '../definitions/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import type { JsonObject } from '../json/json.js'
import { projectIcons } from './projection.js'
import type { Revision } from './revision.js'

export function projectResource(resource: ResourceDefinition, revision: Revision): JsonObject {
  const { uri, name, title, description, mimeType, size, icons, ui } = resource
  const members = { uri, name, description, mimeType, size, _meta: ui && { ui } }
  return revision < '2025-06-18' ? members : { ...members, title, icons: projectIcons(icons, revision) }
}

export function projectTemplate(template: ResourceTemplateDefinition, revision: Revision): JsonObject {
  const { uriTemplate, name, title, description, mimeType, icons } = template
  const members = { uriTemplate, name, description, mimeType }
  return revision < '2025-06-18' ? members : { ...members, title, icons: projectIcons(icons, revision) }
}

export function projectPrompt(prompt: PromptDefinition, revision: Revision): JsonObject {
  const { name, title, description, icons } = prompt
  const members = { name, description, arguments: prompt.arguments?.map(projectArgument) }
  return revision < '2025-06-18' ? members : { ...members, title, icons: projectIcons(icons, revision) }
}

function projectArgument({ name, description, required }: PromptArgument): JsonObject {
  return { name, description, required }
}
