// Shows content as a model gets it: text, images, audio, links and embedded resources, each block in order. Used for the
// results of tools, resources and prompts, and for sampling requests. Renders only.

import { formatBytes, formatJson, isMembers, listOf, type Members, membersOf, textOf } from './json.js'

/** Types that a browser shows safely in an image element. */
const IMAGE = /^image\/[\w.+-]+$/
const AUDIO = /^audio\/[\w.+-]+$/
const BASE64 = /^[\w+/=\s-]*$/

/** A block, or a list of them. */
export function ContentView({ content }: { readonly content: unknown }) {
  const blocks = Array.isArray(content) ? content : [content]
  if (blocks.length === 0) return <p class="quiet">No content.</p>
  return (
    <>
      {blocks.map((block, index) => (
        // Blocks have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <Block key={index} block={block} />
      ))}
    </>
  )
}

function Block({ block }: { readonly block: unknown }) {
  if (typeof block === 'string') return <Text text={block} />
  const members = membersOf(block)
  switch (members.type) {
    case 'text':
      return <Text text={textOf(members.text)} />
    case 'image':
    case 'audio':
      return <Media mimeType={textOf(members.mimeType)} data={textOf(members.data)} />
    case 'resource':
      return <ResourceContent content={membersOf(members.resource)} />
    case 'resource_link':
      return (
        <p class="block">
          <span class="kind">link</span> <code>{textOf(members.uri)}</code> {textOf(members.title ?? members.name)}
        </p>
      )
    default:
      return <pre tabIndex={0}>{formatJson(block)}</pre>
  }
}

function Text({ text }: { readonly text: string }) {
  if (text === '') return <p class="quiet">An empty text.</p>
  return (
    <pre class="text" dir="auto" tabIndex={0}>
      {text}
    </pre>
  )
}

function Media({ mimeType, data }: { readonly mimeType: string; readonly data: string }) {
  const isValid = BASE64.test(data.slice(0, 1000))
  const about = `${mimeType || 'no type'}, ${formatBytes(Math.floor((data.length * 3) / 4))}`
  return (
    <figure>
      {isValid && IMAGE.test(mimeType) && (
        <img src={`data:${mimeType};base64,${data}`} alt={`The image of the result: ${about}`} />
      )}
      {isValid && AUDIO.test(mimeType) && <audio controls src={`data:${mimeType};base64,${data}`} aria-label={about} />}
      <figcaption class="quiet">{about}</figcaption>
    </figure>
  )
}

/** An entry of `contents`, or an embedded resource. */
export function ResourceContent({ content }: { readonly content: Members }) {
  const { uri, mimeType, text, blob } = content
  const type = textOf(mimeType)
  return (
    <div class="block">
      <p>
        <span class="kind">resource</span> <code>{textOf(uri)}</code> <span class="quiet">{type}</span>
      </p>
      {typeof text === 'string' && <Text text={text} />}
      {typeof blob === 'string' && <Media mimeType={type} data={blob} />}
    </div>
  )
}

/** The messages of a prompt or a sampling request. */
export function MessagesView({ messages }: { readonly messages: unknown }) {
  return (
    <>
      {listOf(messages)
        .filter(isMembers)
        .map(({ role, content }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <div class="block" key={index}>
            <p>
              <span class="kind">{textOf(role)}</span>
            </p>
            <ContentView content={content} />
          </div>
        ))}
    </>
  )
}
