// The resources, resource templates and prompts of one server, found by URI or name.

import { parseUriTemplate, type UriTemplate } from '../lib/uri-template.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'

export interface Library extends ResourceLists {
  readonly hasResources: boolean
  readonly hasPrompts: boolean
  readonly hasCompletions: boolean
  /** Finds the resource at a URI, or the template that matches it with the values of its variables. */
  at(uri: string): Resource | Templated | undefined
  template(uriTemplate: string): ResourceTemplate | undefined
  prompt(name: string): Prompt | undefined
}

export interface Templated {
  readonly template: ResourceTemplate
  readonly variables: Readonly<Record<string, string>>
}

interface ResourceLists {
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

export function createLibrary(lists: ResourceLists): Library {
  const { resources, templates, prompts } = lists
  const byUri = indexBy(resources, ({ uri }) => uri)
  const byTemplate = indexBy(templates, ({ uriTemplate }) => uriTemplate)
  const byName = indexBy(prompts, ({ name }) => name)
  const parsedTemplates: readonly (readonly [ResourceTemplate, UriTemplate])[] = templates.map((template) => [
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
    at(uri) {
      const resource = byUri.get(uri)
      if (resource) return resource
      for (const [template, pattern] of parsedTemplates) {
        const variables = pattern.match(uri)
        if (variables) return { template, variables }
      }
      return undefined
    },
    template: (uriTemplate) => byTemplate.get(uriTemplate),
    prompt: (name) => byName.get(name),
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
