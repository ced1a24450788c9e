// The forms of a decision about a plan: the comment of a rejection, and the editor of the plan with a preview. Used by the
// approval card. Renders only.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Markdown } from '../components/markdown.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { Switch } from './plan-text.js'

/** The server accepts no longer one. */
const MAX_COMMENT = 4000

interface FormProps {
  readonly text: string
  readonly change: (text: string) => void
  readonly isBusy: boolean
  readonly result: ActionResult | undefined
  readonly submit: () => void
  readonly cancel: () => void
}

export function RejectForm(props: FormProps) {
  const { translate } = useTranslator()
  return (
    <Form {...props} submitLabel={translate('reject')} isDanger canSubmit>
      <TextArea
        label={translate('rejectComment')}
        rows={3}
        maxLength={MAX_COMMENT}
        text={props.text}
        change={props.change}
      />
    </Form>
  )
}

export function PlanEditor(props: FormProps) {
  const { translate } = useTranslator()
  const [isPreview, setPreview] = useState(false)
  return (
    <Form {...props} submitLabel={translate('approveEdited')} canSubmit={props.text.trim() !== ''}>
      <Switch
        label={translate('editedPlan')}
        options={[
          { label: translate('planWrite'), isOn: !isPreview, choose: () => setPreview(false) },
          { label: translate('planPreview'), isOn: isPreview, choose: () => setPreview(true) },
        ]}
      />
      {isPreview ? (
        <Markdown text={props.text} label={translate('planPreview')} />
      ) : (
        <TextArea label={translate('editedPlan')} rows={16} text={props.text} change={props.change} />
      )}
    </Form>
  )
}

interface TextAreaProps extends Pick<FormProps, 'text' | 'change'> {
  readonly label: string
  readonly rows: number
  readonly maxLength?: number
}

/** Takes the focus. */
function TextArea({ label, rows, maxLength, text, change }: TextAreaProps) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <div class="writing">
      <label for={id}>{label}</label>
      <textarea
        ref={field}
        id={id}
        class="field"
        dir="auto"
        rows={rows}
        maxLength={maxLength}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  )
}

interface FormFrameProps extends FormProps {
  readonly submitLabel: string
  readonly isDanger?: boolean
  readonly canSubmit: boolean
  readonly children: ComponentChildren
}

function Form({ submitLabel, isDanger = false, canSubmit, children, ...props }: FormFrameProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const send = (event: Event): void => {
    event.preventDefault()
    props.submit()
  }
  return (
    <form class="asking" onSubmit={send}>
      {children}
      <ActionError result={props.result} />
      <div class="actions">
        <button
          class={isDanger ? 'button danger main' : 'button main'}
          type="submit"
          disabled={props.isBusy || !canSubmit || !canAct}
        >
          {props.isBusy ? translate('sending') : submitLabel}
        </button>
        <button class="button" type="button" disabled={props.isBusy} onClick={props.cancel}>
          {translate('backToPlan')}
        </button>
      </div>
    </form>
  )
}
