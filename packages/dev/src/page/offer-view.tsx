// The chosen tool, resource, template or prompt: what the server says of it, and its form. Used by inspector-page.tsx.

import type { ComponentChildren } from 'preact'

import type { Api } from './api.js'
import { CallForm } from './call-form.js'
import { formatJson, isMembers, listOf, type Members, membersOf, textOf } from './json.js'
import type { Offer } from './offers.js'
import type { Complete } from './schema-form.js'
import { expandTemplate, listVariables } from './uri-template.js'
import type { Calls } from './use-calls.js'

interface OfferViewProps {
  readonly offer: Offer
  readonly api: Api
  readonly calls: Calls
  /** The server is ready. */
  readonly canCall: boolean
  readonly capabilities: Members
}

export function OfferView({ offer, api, calls, canCall, capabilities }: OfferViewProps) {
  const { key, kind, definition, name } = offer
  const complete = isMembers(capabilities.completions) ? completerOf(api, offer) : undefined
  const form = { entry: key, calls, canCall }
  const read = (uri: string): void => calls.start(key, 'resources/read', { uri })
  return (
    <article aria-labelledby="offer">
      <Heading offer={offer} />
      {kind === 'tools' && (
        <CallForm
          {...form}
          // A changed schema has other defaults.
          key={`${key} ${JSON.stringify(definition.inputSchema)}`}
          verb="Call"
          schema={membersOf(definition.inputSchema)}
          start={(value) => calls.start(key, 'tools/call', { name, arguments: value })}
        />
      )}
      {kind === 'resources' && (
        <CallForm {...form} key={key} verb="Read" schema={{}} start={() => read(textOf(definition.uri))} />
      )}
      {kind === 'templates' && (
        <CallForm
          {...form}
          key={key}
          verb="Read"
          schema={schemaOfTexts(listVariables(name).map((variable) => ({ name: variable })))}
          start={(value) => read(expandTemplate(name, value))}
          complete={complete}
        />
      )}
      {kind === 'prompts' && (
        <CallForm
          {...form}
          key={key}
          verb="Get"
          schema={schemaOfTexts(listOf(definition.arguments))}
          start={(value) => calls.start(key, 'prompts/get', { name, arguments: value })}
          complete={complete}
        />
      )}
    </article>
  )
}

function Heading({ offer: { kind, name, title, definition } }: { readonly offer: Offer }) {
  const { description, annotations, mimeType, outputSchema, uri } = definition
  const hints = Object.entries(membersOf(annotations)).filter(([key, value]) => key !== 'title' && value !== undefined)
  return (
    <header>
      <h2 id="offer">
        {listOf(definition.icons)
          .map(dataUrlOf)
          .filter(Boolean)
          .map((src) => (
            <img key={src} class="icon" src={src} alt="" />
          ))}
        {title}
        {title !== name && kind !== 'resources' && <code class="quiet"> {name}</code>}
      </h2>
      {kind === 'resources' && <code>{textOf(uri)}</code>}
      {typeof description === 'string' && <p class="description">{description}</p>}
      <p class="tags">
        {typeof mimeType === 'string' && <Tag>{mimeType}</Tag>}
        {hints.map(([key, value]) => (
          <Tag key={key}>
            {key.replace(/Hint$/, '')}: {String(value)}
          </Tag>
        ))}
      </p>
      <details>
        <summary>Definition</summary>
        <pre tabIndex={0}>{formatJson(definition)}</pre>
      </details>
      {isMembers(outputSchema) && <p class="quiet">It returns structured content.</p>}
    </header>
  )
}

/** Only icons inside the definition are shown: the page loads nothing from other servers. */
function dataUrlOf(icon: unknown): string {
  const src = textOf(membersOf(icon).src)
  return src.startsWith('data:image/') ? src : ''
}

function Tag({ children }: { readonly children: ComponentChildren }) {
  return <span class="tag">{children}</span>
}

/** Arguments of prompts and variables of templates are texts. */
function schemaOfTexts(fields: readonly unknown[]): Members {
  const texts = fields.filter(isMembers).map(({ name, title, description, required }) => ({
    name: textOf(name),
    property: {
      type: 'string',
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    },
    isRequired: required === true,
  }))
  return {
    type: 'object',
    properties: Object.fromEntries(texts.map(({ name, property }) => [name, property])),
    required: texts.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  }
}

function completerOf(api: Api, { kind, name }: Offer): Complete {
  const ref = kind === 'prompts' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name }
  return async (argument, typed, others) => {
    const given = Object.entries(others).filter(([key, value]) => key !== argument && typeof value === 'string')
    const context = given.length > 0 ? { context: { arguments: Object.fromEntries(given) } } : {}
    const params = { ref, argument: { name: argument, value: typed }, ...context }
    const outcome = await api.request({ callId: crypto.randomUUID(), method: 'completion/complete', params })
    const completion = 'result' in outcome ? membersOf(outcome.result.completion) : {}
    return listOf(completion.values).filter((value) => typeof value === 'string')
  }
}
