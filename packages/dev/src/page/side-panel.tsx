// The panel beside the forms: the wire, or what the server wrote to stderr. Used by inspector-page.tsx. Renders only.

import { useState } from 'preact/hooks'

import type { OutputLine, WireEntry } from '../view.js'
import { formatTime } from './json.js'
import { WirePanel } from './wire-panel.js'

interface SidePanelProps {
  readonly wire: readonly WireEntry[]
  readonly output: readonly OutputLine[]
}

export function SidePanel({ wire, output }: SidePanelProps) {
  const [shown, setShown] = useState<'wire' | 'output'>('wire')
  const choice = (panel: 'wire' | 'output', label: string) => (
    <button class="choice" type="button" aria-pressed={shown === panel} onClick={() => setShown(panel)}>
      {label}
    </button>
  )
  return (
    <aside class="side" aria-label="Wire and output">
      <div class="choices">
        {choice('wire', `Wire ${wire.length}`)}
        {choice('output', `Output ${output.length}`)}
      </div>
      {shown === 'wire' ? <WirePanel entries={wire} /> : <OutputPanel lines={output} />}
    </aside>
  )
}

function OutputPanel({ lines }: { readonly lines: readonly OutputLine[] }) {
  if (lines.length === 0) return <p class="quiet hint">What the server writes to stderr appears here.</p>
  return (
    <ol class="output" aria-label="Output, newest first">
      {lines.toReversed().map(({ n, at, isNote, text }) => (
        <li key={n} class={isNote ? 'bad' : ''} title={formatTime(at)}>
          {text}
        </li>
      ))}
    </ol>
  )
}
