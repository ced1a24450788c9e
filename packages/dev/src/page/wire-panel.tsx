// The wire: every message in both directions, newest first, with a filter. A message is formatted when it is opened. Used
// by inspector-page.tsx. Writes to the clipboard.

import { useState } from 'preact/hooks'

import type { WireEntry } from '../view.js'
import { formatBytes, formatDuration, formatJson, formatTime, parseJson } from './json.js'

export function WirePanel({ entries }: { readonly entries: readonly WireEntry[] }) {
  const [filter, setFilter] = useState('')
  const [clearedAt, setClearedAt] = useState(0)
  const shown = entries.filter((entry) => entry.n > clearedAt && isFound(entry, filter)).toReversed()
  return (
    <>
      <div class="bar">
        <input
          class="field"
          type="search"
          aria-label="Filter messages"
          placeholder="Filter: method, id, text, error"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <CopyButton
          text={() =>
            shown
              .toReversed()
              .map(({ text }) => text)
              .join('\n')
          }
          label="Copy all"
        />
        <button class="button small" type="button" onClick={() => setClearedAt(entries.at(-1)?.n ?? 0)}>
          Clear
        </button>
      </div>
      <ol class="wire" aria-label="Messages, newest first">
        {shown.map((entry) => (
          <Message key={entry.n} entry={entry} />
        ))}
      </ol>
      {shown.length === 0 && (
        <p class="quiet hint">{filter === '' ? 'No messages yet.' : 'No messages match the filter.'}</p>
      )}
    </>
  )
}

function isFound({ kind, method, id, text }: WireEntry, filter: string): boolean {
  const wanted = filter.trim().toLowerCase()
  return wanted === '' || `${kind} ${method} ${id} ${text}`.toLowerCase().includes(wanted)
}

function Message({ entry }: { readonly entry: WireEntry }) {
  const [isOpen, setOpen] = useState(false)
  const { at, isSent, kind, method, id, ms, bytes } = entry
  const isBad = kind === 'error' || kind === 'invalid'
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class={isSent ? 'way sent' : 'way'} aria-hidden="true">
            {isSent ? '→' : '←'}
          </span>
          <span class="unseen">{isSent ? 'Sent' : 'Received'}</span>
          <span class={isBad ? 'method bad' : 'method'}>{method || kind}</span>
          <span class="facts quiet">
            {[kind, id && `#${id}`, ms !== undefined && formatDuration(ms), formatBytes(bytes), formatTime(at)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </summary>
        {isOpen && <MessageText entry={entry} />}
      </details>
    </li>
  )
}

function MessageText({ entry: { text, bytes } }: { readonly entry: WireEntry }) {
  const parsed = parseJson(text)
  const isCut = new TextEncoder().encode(text).length < bytes
  return (
    <div class="opened">
      {isCut && <p class="quiet">The first {formatBytes(text.length)} of the message.</p>}
      <pre tabIndex={0}>{'value' in parsed ? formatJson(parsed.value) : text}</pre>
      <CopyButton text={() => text} label="Copy" />
    </div>
  )
}

function CopyButton({ text, label }: { readonly text: () => string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => setCopied(false),
    )
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button class="button small" type="button" onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}
