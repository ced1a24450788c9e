// The resources, templates and prompts of one server, made ready for the wire: looked up, listed in pages.

import { parseUriTemplate, type UriTemplate } from '../lib/uri-template.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'
import { pageOf } from './paging.js'
import { projectPrompt, projectResource, projectTemplate } from './projection.js'
import { memberText } from './reply.js'
import type { Revision } from './revision.js'

export interface Library {
  readonly hasResources: boolean
  readonly hasPrompts: boolean
  readonly hasCompletions: boolean
  /** What there is at an address: a resource, or a template with the variables it takes from it. */
  at(uri: string): Resource | Templated | undefined
  template(uriTemplate: string): ResourceTemplate | undefined
  prompt(name: string): Prompt | undefined
  listResources(revision: Revision, cursor: unknown): string
  listTemplates(revision: Revision, cursor: unknown): string
  listPrompts(revision: Revision, cursor: unknown): string
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

export function createLibrary({ resources, templates, prompts }: Offers, size: number): Library {
  const byUri = indexed(resources, ({ uri }) => uri)
  const byTemplate = indexed(templates, ({ uriTemplate }) => uriTemplate)
  const byName = indexed(prompts, ({ name }) => name)
  const parsed: readonly (readonly [ResourceTemplate, UriTemplate])[] = templates.map((template) => [
    template,
    parseUriTemplate(template.uriTemplate),
  ])

  return {
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
    listResources(revision, cursor) {
      const { items, nextCursor } = pageOf(resources, ({ uri }) => uri, { list: 'resources', cursor, size })
      return memberText({ resources: items.map((item) => projectResource(item, revision)), nextCursor })
    },
    listTemplates(revision, cursor) {
      const { items, nextCursor } = pageOf(templates, (item) => item.uriTemplate, { list: 'templates', cursor, size })
      return memberText({ resourceTemplates: items.map((item) => projectTemplate(item, revision)), nextCursor })
    },
    listPrompts(revision, cursor) {
      const { items, nextCursor } = pageOf(prompts, ({ name }) => name, { list: 'prompts', cursor, size })
      return memberText({ prompts: items.map((item) => projectPrompt(item, revision)), nextCursor })
    },
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
