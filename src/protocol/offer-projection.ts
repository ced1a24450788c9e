// Reduces resources, resource templates and prompts to the fields each revision knows: titles exist since 2025-06-18.

import type { JsonObject } from '../lib/json.js'
import type { Prompt, PromptArgument } from '../tools/prompt.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'
import type { Revision } from './revision.js'

export function projectResource(resource: Resource, revision: Revision): JsonObject {
  const { uri, name, title, description, mimeType, size } = resource
  const members = { uri, name, description, mimeType, size }
  return revision < '2025-06-18' ? members : { ...members, title }
}

export function projectTemplate(template: ResourceTemplate, revision: Revision): JsonObject {
  const { uriTemplate, name, title, description, mimeType } = template
  const members = { uriTemplate, name, description, mimeType }
  return revision < '2025-06-18' ? members : { ...members, title }
}

export function projectPrompt(prompt: Prompt, revision: Revision): JsonObject {
  const { name, title, description } = prompt
  const members = { name, description, arguments: prompt.arguments?.map(projectArgument) }
  return revision < '2025-06-18' ? members : { ...members, title }
}

function projectArgument({ name, description, required }: PromptArgument): JsonObject {
  return { name, description, required }
}
