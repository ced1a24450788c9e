// A plan as rendered Markdown, with a switch to what changed since the last draft. Used by the approval card and the plans
// view. Renders only.

import { useState } from 'preact/hooks'

import type { ChangedLine, PlanDetails } from '../../view.js'
import { Markdown } from '../components/markdown.js'
import { stripControls } from '../components/strip-controls.js'
import { useTranslator } from '../use-translator.js'

interface PlanTextProps {
  readonly text: string
  readonly changes: PlanDetails['changes']
  /** Accessible name of the text. */
  readonly label: string
}

export function PlanText({ text, changes, label }: PlanTextProps) {
  const { translate } = useTranslator()
  const [showsChanges, setShowsChanges] = useState(false)
  if (changes.length === 0) return <Markdown text={text} label={label} />
  return (
    <div class="plan-text">
      <Switch
        label={label}
        options={[
          { label: translate('planText'), isOn: !showsChanges, choose: () => setShowsChanges(false) },
          { label: translate('planChanges'), isOn: showsChanges, choose: () => setShowsChanges(true) },
        ]}
      />
      {showsChanges ? <Changes lines={changes} /> : <Markdown text={text} label={label} />}
    </div>
  )
}

interface SwitchProps {
  readonly label: string
  readonly options: readonly { readonly label: string; readonly isOn: boolean; readonly choose: () => void }[]
}

/** Chooses what is shown below it. */
export function Switch({ label, options }: SwitchProps) {
  return (
    <div class="switch" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.label}
          class="button small"
          type="button"
          aria-pressed={option.isOn}
          onClick={option.choose}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

function Changes({ lines }: { readonly lines: PlanDetails['changes'] }) {
  const { translate } = useTranslator()
  return (
    <pre class="changes" tabIndex={0} role="group" aria-label={translate('planChanges')}>
      {lines.map((line, index) =>
        line === null ? (
          <span key={index} class="quiet">
            …{'\n'}
          </span>
        ) : (
          <ChangeLine key={index} line={line} />
        ),
      )}
    </pre>
  )
}

function ChangeLine({ line: { mark, text } }: { readonly line: ChangedLine }) {
  const content = `${mark} ${stripControls(text)}\n`
  if (mark === ' ') return <span>{content}</span>
  return mark === '+' ? <ins>{content}</ins> : <del>{content}</del>
}
