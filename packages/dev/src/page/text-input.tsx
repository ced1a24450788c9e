// A field for text, which grows with its lines, and shows the suggestions of the server where it has some. Enter sends the
// form, as in a field of one line; Shift+Enter begins a line. Used by schema-form.tsx.

import { useEffect, useId, useState } from 'preact/hooks'

const TYPING_MS = 150

interface TextInputProps {
  readonly id: string
  readonly value: string
  readonly onChange: (value: string | undefined) => void
  readonly describedBy: string
  readonly isSecret: boolean
  readonly complete?: ((typed: string) => Promise<readonly string[]>) | undefined
}

export function TextInput({ id, value, onChange, describedBy, isSecret, complete }: TextInputProps) {
  const change = (typed: string): void => onChange(typed === '' ? undefined : typed)
  if (complete) return <CompletedInput {...{ id, value, describedBy, complete }} onChange={change} />
  if (isSecret) {
    return (
      <input
        id={id}
        class="field"
        type="password"
        autocomplete="off"
        aria-describedby={describedBy}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    )
  }
  return (
    <textarea
      id={id}
      class="field"
      rows={Math.min(12, value.split('\n').length)}
      aria-describedby={describedBy}
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
        event.preventDefault()
        event.currentTarget.form?.requestSubmit()
      }}
    />
  )
}

interface CompletedInputProps {
  readonly id: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly describedBy: string
  readonly complete: (typed: string) => Promise<readonly string[]>
}

function CompletedInput({ id, value, onChange, describedBy, complete }: CompletedInputProps) {
  const listId = useId()
  // Suggestions may depend on other fields, so each visit asks for them again.
  const [visits, setVisits] = useState(0)
  const [suggestions, setSuggestions] = useState<readonly string[]>([])
  useEffect(() => {
    if (visits === 0) return undefined
    let isLast = true
    const timer = setTimeout(() => {
      void complete(value).then((found) => {
        if (isLast) setSuggestions(found)
      })
    }, TYPING_MS)
    return () => {
      isLast = false
      clearTimeout(timer)
    }
  }, [value, visits])
  return (
    <>
      <input
        id={id}
        class="field"
        list={listId}
        autocomplete="off"
        aria-describedby={describedBy}
        value={value}
        onFocus={() => setVisits(visits + 1)}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  )
}
