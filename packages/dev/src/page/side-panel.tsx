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

function classOfLine(isNote: boolean, isFirstOfRun: boolean): string {
  return [isNote && 'bad', isFirstOfRun && 'first'].filter(Boolean).join(' ')
}

function OutputPanel({ lines }: { readonly lines: readonly OutputLine[] }) {
  if (lines.length === 0) return <p class="quiet hint">What the server writes to stderr appears here.</p>
  return (
    <div class="output" tabIndex={0} role="region" aria-label="Output of the server">
      <ol>
        {lines.map(({ n, at, run, isNote, text }, index) => (
          <li key={n} class={classOfLine(isNote, run !== lines[index - 1]?.run)} title={formatTime(at)}>
            {text}
          </li>
        ))}
      </ol>
    </div>
  )
}
