// The resources, resource templates and prompts of one server, found by URI or name. Created by mcp-server.ts. In
// memory only.

import type { PromptDefinition } from '../definitions/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import { parseUriTemplate, type UriTemplate } from './uri-template.js'

export interface ResourceRegistry extends ResourceLists {
  readonly hasResources: boolean
  readonly hasPrompts: boolean
  readonly hasCompletions: boolean
  /** Finds the resource at a URI, or the template that matches it with the values of its variables. */
  findByUri(uri: string): ResourceDefinition | TemplateMatch | undefined
  findTemplate(uriTemplate: string): ResourceTemplateDefinition | undefined
  findPrompt(name: string): PromptDefinition | undefined
}

export interface TemplateMatch {
  readonly template: ResourceTemplateDefinition
  readonly variables: Readonly<Record<string, string>>
}

interface ResourceLists {
  readonly resources: readonly ResourceDefinition[]
  readonly templates: readonly ResourceTemplateDefinition[]
  readonly prompts: readonly PromptDefinition[]
}

export function createResourceRegistry(lists: ResourceLists): ResourceRegistry {
  const { resources, templates, prompts } = lists
  const byUri = indexBy(resources, ({ uri }) => uri)
  const byTemplate = indexBy(templates, ({ uriTemplate }) => uriTemplate)
  const byName = indexBy(prompts, ({ name }) => name)
  const parsedTemplates: readonly (readonly [ResourceTemplateDefinition, UriTemplate])[] = templates.map((template) => [
    template,
    parseUriTemplate(template.uriTemplate),
  ])

  return {
    ...lists,
    hasResources: resources.length + templates.length > 0,
    hasPrompts: prompts.length > 0,
    hasCompletions:
      templates.some(({ complete }) => complete !== undefined) ||
      prompts.some((prompt) => prompt.arguments?.some(({ complete }) => complete !== undefined)),
    findByUri(uri) {
      const resource = byUri.get(uri)
      if (resource) return resource
      for (const [template, pattern] of parsedTemplates) {
        const variables = pattern.match(uri)
        if (variables) return { template, variables }
      }
      return undefined
    },
    findTemplate: (uriTemplate) => byTemplate.get(uriTemplate),
    findPrompt: (name) => byName.get(name),
  }
}

function indexBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const item of items) {
    const key = keyOf(item)
    if (map.has(key)) throw new Error(`${key} is registered twice`)
    map.set(key, item)
  }
  return map
}
