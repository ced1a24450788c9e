// A question of the server: a form, an address to visit, or a request for the words of a model, each answered by hand. Used
// by inspector-page.tsx. Sends HTTP requests through api.ts.

import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { RpcOutcome, ServerQuestion } from '../view.js'
import { MessagesView } from './content-view.js'
import { formatJson, type Members, membersOf, textOf } from './json.js'
import { initialMembers, resolveSchema } from './schema-fields.js'
import { SchemaFields } from './schema-form.js'

interface QuestionProps {
  readonly question: ServerQuestion
  readonly answer: (outcome: RpcOutcome) => void
}

export function QuestionCard({ question, answer }: QuestionProps) {
  const id = useId()
  const isSampling = question.method === 'sampling/createMessage'
  const isUrl = question.params.mode === 'url'
  const card = useRef<HTMLElement>(null)
  useEffect(() => goTo(card.current), [])
  return (
    <section ref={card} class="card question" aria-labelledby={id} tabIndex={-1}>
      <h2 id={id}>
        {isSampling ? 'The server asks the model' : isUrl ? 'The server asks you to open a URL' : 'The server asks'}
      </h2>
      {isSampling ? (
        <Sampling question={question} answer={answer} />
      ) : isUrl ? (
        <Visit question={question} answer={answer} />
      ) : (
        <Form question={question} answer={answer} />
      )}
    </section>
  )
}

/** The call that asks may have been started far below. What is being typed elsewhere is not interrupted. */
function goTo(card: HTMLElement | null): void {
  card?.scrollIntoView({ block: 'nearest' })
  if (document.activeElement?.matches('input, textarea, select') !== true) card?.focus({ preventScroll: true })
}

const DECLINE: RpcOutcome = { result: { action: 'decline' } }
const CANCEL: RpcOutcome = { result: { action: 'cancel' } }

function Form({ question: { params }, answer }: QuestionProps) {
  const schema = membersOf(params.requestedSchema)
  const [content, setContent] = useState<Members>(() => initialMembers(schema))
  const submit = (event: Event): void => {
    event.preventDefault()
    answer({ result: { action: 'accept', content } })
  }
  return (
    <form class="call" onSubmit={submit}>
      <p class="message">{textOf(params.message)}</p>
      <SchemaFields schema={resolveSchema(schema, schema)} root={schema} value={content} onChange={setContent} />
      <Answers accept="Accept" answer={answer} />
    </form>
  )
}

function Visit({ question: { params }, answer }: QuestionProps) {
  const url = textOf(params.url)
  const submit = (event: Event): void => {
    event.preventDefault()
    answer({ result: { action: 'accept' } })
  }
  return (
    <form class="call" onSubmit={submit}>
      <p class="message">{textOf(params.message)}</p>
      <p>
        {/^https?:\/\//i.test(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        ) : (
          <code>{url}</code>
        )}
      </p>
      <Answers accept="Accept" answer={answer} />
    </form>
  )
}

function Answers({ accept, answer }: { readonly accept: string; readonly answer: QuestionProps['answer'] }) {
  return (
    <div class="actions">
      <button class="button main">{accept}</button>
      <button class="button" type="button" onClick={() => answer(DECLINE)}>
        Decline
      </button>
      <button class="button" type="button" onClick={() => answer(CANCEL)}>
        Cancel
      </button>
    </div>
  )
}

function Sampling({ question: { params }, answer }: QuestionProps) {
  const id = useId()
  const [text, setText] = useState('')
  const { messages, systemPrompt, ...settings } = params
  const submit = (event: Event): void => {
    event.preventDefault()
    const content = { type: 'text', text }
    answer({ result: { role: 'assistant', model: 'a person at the inspector', stopReason: 'endTurn', content } })
  }
  return (
    <form class="call" onSubmit={submit}>
      {typeof systemPrompt === 'string' && <p class="message">{systemPrompt}</p>}
      <MessagesView messages={messages} />
      <details>
        <summary>Settings</summary>
        <pre tabIndex={0}>{formatJson(settings)}</pre>
      </details>
      <div class="entry">
        <label for={id}>Answer as the model</label>
        <textarea id={id} class="field" rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      <div class="actions">
        <button class="button main">Answer</button>
        <button
          class="button"
          type="button"
          onClick={() => answer({ error: { code: -1, message: 'User rejected sampling request' } })}
        >
          Refuse
        </button>
      </div>
    </form>
  )
}
