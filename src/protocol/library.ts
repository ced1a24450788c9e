// The resources, templates and prompts of one server, and where each is found.

import { parseUriTemplate, type UriTemplate } from '../lib/uri-template.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'

export interface Library extends Offers {
  readonly hasResources: boolean
  readonly hasPrompts: boolean
  readonly hasCompletions: boolean
  /** What there is at an address: a resource, or a template with the variables it takes from it. */
  at(uri: string): Resource | Templated | undefined
  template(uriTemplate: string): ResourceTemplate | undefined
  prompt(name: string): Prompt | undefined
}

export interface Templated {
  readonly template: ResourceTemplate
  readonly variables: Readonly<Record<string, string>>
}

interface Offers {
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

export function createLibrary(offers: Offers): Library {
  const { resources, templates, prompts } = offers
  const byUri = indexed(resources, ({ uri }) => uri)
  const byTemplate = indexed(templates, ({ uriTemplate }) => uriTemplate)
  const byName = indexed(prompts, ({ name }) => name)
  const parsed: readonly (readonly [ResourceTemplate, UriTemplate])[] = templates.map((template) => [
    template,
    parseUriTemplate(template.uriTemplate),
  ])

  return {
    ...offers,
    hasResources: resources.length + templates.length > 0,
    hasPrompts: prompts.length > 0,
    hasCompletions:
      templates.some(({ complete }) => complete !== undefined) ||
      prompts.some((prompt) => prompt.arguments?.some(({ complete }) => complete !== undefined)),
    at(uri) {
      const resource = byUri.get(uri)
      if (resource) return resource
      for (const [template, pattern] of parsed) {
        const variables = pattern.match(uri)
        if (variables) return { template, variables }
      }
      return undefined
    },
    template: (uriTemplate) => byTemplate.get(uriTemplate),
    prompt: (name) => byName.get(name),
  }
}

function indexed<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const item of items) {
    const key = keyOf(item)
    if (map.has(key)) throw new Error(`${key} is offered twice`)
    map.set(key, item)
  }
  return map
}
