// The course and the result of a call: progress and log messages while it runs, then the answer of the server as a model
// gets it, and as JSON. Used by call-form.tsx. Scrolls to it.

import { useEffect, useRef } from 'preact/hooks'

import type { RpcOutcome } from '../view.js'
import { ContentView, MessagesView, ResourceContent } from './content-view.js'
import { formatDuration, formatJson, isMembers, listOf, type Members } from './json.js'
import type { CallState } from './use-calls.js'

export function ResultView({ call }: { readonly call: CallState }) {
  const { callId, isRunning, progress, logs, outcome, ms } = call
  const section = useRef<HTMLElement>(null)
  // Below a long form it would not be seen.
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [callId, isRunning])
  return (
    <section ref={section} class="result" aria-label="Result">
      <p role="status" class={outcome && isFailed(outcome) ? 'bad' : 'quiet'}>
        {outcome ? describeOutcome(outcome, ms) : 'Running…'}
      </p>
      {progress && (
        <div class="progress">
          {isRunning && <progress aria-label="Progress" value={progress.done} max={progress.total ?? undefined} />}
          <p class="quiet">
            {progress.done}
            {progress.total !== undefined && ` of ${progress.total}`} {progress.message}
          </p>
        </div>
      )}
      {outcome && <Outcome outcome={outcome} />}
      {logs.length > 0 && <Logs logs={logs} />}
    </section>
  )
}

/** Newest first, because more may follow. */
function Logs({ logs }: Pick<CallState, 'logs'>) {
  return (
    <>
      <h3>Log messages</h3>
      <ul class="logs" tabIndex={0} aria-label="Log messages, newest first">
        {logs.toReversed().map(({ level, text }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <span class="kind">{level}</span> {text}
          </li>
        ))}
      </ul>
    </>
  )
}

function isFailed(outcome: RpcOutcome): boolean {
  return 'error' in outcome || outcome.result.isError === true
}

function describeOutcome(outcome: RpcOutcome, ms: number): string {
  const took = formatDuration(ms)
  if ('error' in outcome) return `Error ${outcome.error.code} after ${took}`
  return outcome.result.isError === true ? `The tool reports an error, after ${took}` : `Answered in ${took}`
}

function Outcome({ outcome }: { readonly outcome: RpcOutcome }) {
  if ('error' in outcome) {
    return (
      <>
        <pre class="text" tabIndex={0}>
          {outcome.error.message}
        </pre>
        {outcome.error.data !== undefined && <pre tabIndex={0}>{formatJson(outcome.error.data)}</pre>}
      </>
    )
  }
  const { result } = outcome
  return (
    <>
      <Answer result={result} />
      <details>
        <summary>Answer as JSON</summary>
        <pre tabIndex={0}>{formatJson(result)}</pre>
      </details>
    </>
  )
}

function Answer({ result }: { readonly result: Members }) {
  const { content, contents, messages, structuredContent, description } = result
  return (
    <>
      {Array.isArray(content) && <ContentView content={content} />}
      {Array.isArray(contents) &&
        listOf(contents)
          .filter(isMembers)
          // oxlint-disable-next-line react/no-array-index-key
          .map((each, index) => <ResourceContent key={index} content={each} />)}
      {typeof description === 'string' && <p class="quiet">{description}</p>}
      {Array.isArray(messages) && <MessagesView messages={messages} />}
      {structuredContent !== undefined && (
        <>
          <h3>Structured content</h3>
          <pre tabIndex={0}>{formatJson(structuredContent)}</pre>
        </>
      )}
    </>
  )
}
