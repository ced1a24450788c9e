// The form of a tool, template or prompt, with a JSON mode, and the result of its last call. What was typed is kept across
// restarts of the server and reloads of the page. Used by offer-view.tsx.

import { useId, useState } from 'preact/hooks'

import { formatJson, isMembers, type Members, parseJson } from './json.js'
import { ResultView } from './result-view.js'
import { fieldsOf, initialMembers, resolveSchema } from './schema-fields.js'
import { type Complete, SchemaFields } from './schema-form.js'
import { type FormDraft, loadDraft, storeDraft } from './storage.js'
import type { Calls } from './use-calls.js'

interface CallFormProps {
  /** Names the form, for what is kept of it. */
  readonly entry: string
  readonly schema: Members
  readonly verb: string
  readonly calls: Calls
  readonly canCall: boolean
  readonly start: (value: Members) => void
  readonly complete?: Complete | undefined
}

export function CallForm({ entry, schema, verb, calls, canCall, start, complete }: CallFormProps) {
  const [draft, setDraft] = useState<FormDraft>(
    () => loadDraft(entry) ?? { value: initialMembers(schema), json: undefined },
  )
  const call = calls.of(entry)
  const root = resolveSchema(schema, schema)
  const parsed = draft.json === undefined ? { value: pickFields(draft.value, root, schema) } : readObject(draft.json)
  const change = (next: FormDraft): void => {
    setDraft(next)
    storeDraft(entry, next)
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    if ('value' in parsed && canCall && !call?.isRunning) start(parsed.value)
  }
  return (
    <>
      <form class="call" onSubmit={submit}>
        {draft.json === undefined ? (
          <Fields {...{ schema, root, draft, change, complete }} />
        ) : (
          <JsonFields text={draft.json} problem={'problem' in parsed ? parsed.problem : ''} {...{ draft, change }} />
        )}
        <div class="actions">
          <button class="button main" disabled={!canCall || call?.isRunning || 'problem' in parsed}>
            {verb}
          </button>
          {call?.isRunning && (
            <button class="button danger" type="button" onClick={() => calls.cancel(entry)}>
              Cancel call
            </button>
          )}
          <ModeButton {...{ draft, change }} />
          <button
            class="button"
            type="button"
            onClick={() => change({ value: initialMembers(schema), json: undefined })}
          >
            Reset
          </button>
        </div>
      </form>
      {call && <ResultView call={call} />}
    </>
  )
}

/** Without what was typed into fields that the server has no longer. */
function pickFields(value: Members, schema: Members, root: Members): Members {
  const names = new Set(fieldsOf(schema, root).map(({ name }) => name))
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)))
}

interface DraftProps {
  readonly draft: FormDraft
  readonly change: (draft: FormDraft) => void
}

interface FormFieldsProps extends DraftProps {
  readonly schema: Members
  readonly root: Members
  readonly complete: Complete | undefined
}

function Fields({ schema, root, draft, change, complete }: FormFieldsProps) {
  if (fieldsOf(root, schema).length === 0) return <p class="quiet">No arguments.</p>
  return (
    <SchemaFields
      schema={root}
      root={schema}
      value={draft.value}
      onChange={(value) => change({ value, json: undefined })}
      complete={complete}
    />
  )
}

interface JsonFieldsProps extends DraftProps {
  readonly text: string
  /** '' for none. */
  readonly problem: string
}

function JsonFields({ text, problem, draft, change }: JsonFieldsProps) {
  const id = useId()
  return (
    <div class="entry">
      <label for={id}>Arguments as JSON</label>
      <textarea
        id={id}
        class="field code"
        rows={Math.min(20, Math.max(6, text.split('\n').length))}
        spellcheck={false}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-problem`}
        value={text}
        onInput={(event) => change({ ...draft, json: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
        }}
      />
      <p id={`${id}-problem`} class="bad">
        {problem}
      </p>
    </div>
  )
}

/** Switches between the form and JSON; both have the same value. */
function ModeButton({ draft, change }: DraftProps) {
  const { value, json } = draft
  const toggle = (): void => {
    if (json === undefined) return change({ value, json: formatJson(value) })
    const parsed = readObject(json)
    change({ value: 'value' in parsed ? parsed.value : value, json: undefined })
  }
  return (
    <button class="button" type="button" onClick={toggle}>
      {json === undefined ? 'Edit as JSON' : 'Edit as form'}
    </button>
  )
}

function readObject(text: string): { readonly value: Members } | { readonly problem: string } {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  return isMembers(parsed.value) ? { value: parsed.value } : { problem: 'The arguments must be a JSON object: { … }' }
}
