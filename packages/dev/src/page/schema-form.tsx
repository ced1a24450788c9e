// The fields of a form that is made from a JSON Schema. An empty field is left out of the value. Values are not checked:
// the answer of the server to a wrong one is what its author wants to see. Used by call-form.tsx and question-card.tsx.

import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

import { formatJson, isMembers, listOf, type Members, membersOf, parseJson, textOf } from './json.js'
import {
  describeField,
  type FieldKind,
  fieldKindOf,
  fieldsOf,
  initialMembers,
  type NamedField,
  readNumber,
} from './schema-fields.js'
import { TextInput } from './text-input.js'

/** Returns suggestions for a value, given the values of the other fields. */
export type Complete = (name: string, typed: string, others: Members) => Promise<readonly string[]>

interface FieldsProps {
  readonly schema: Members
  readonly root: Members
  readonly value: Members
  readonly onChange: (value: Members) => void
  readonly complete?: Complete | undefined
}

/** The fields of an object. */
export function SchemaFields({ schema, root, value, onChange, complete }: FieldsProps) {
  const change = (name: string, member: unknown): void => {
    const { [name]: _before, ...others } = value
    onChange(member === undefined ? others : { ...others, [name]: member })
  }
  const fields = fieldsOf(schema, root)
  return (
    <>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          root={root}
          value={value[field.name]}
          onChange={(member) => change(field.name, member)}
          complete={complete && ((typed) => complete(field.name, typed, value))}
        />
      ))}
    </>
  )
}

interface FieldProps {
  readonly field: NamedField
  readonly root: Members
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly complete?: ((typed: string) => Promise<readonly string[]>) | undefined
  /** Of a list, which has the button that removes it. */
  readonly isItem?: boolean
}

function Field(props: FieldProps) {
  const { field, root } = props
  const kind = fieldKindOf(field.schema, root)
  if (kind.kind === 'object') return <ObjectField {...props} />
  if (kind.kind === 'list') return <ListField {...props} item={kind.item} />
  return <SimpleField {...props} kind={kind} />
}

type SimpleKind = Exclude<FieldKind, { readonly kind: 'object' | 'list' }>

function SimpleField({ field, kind, value, onChange, complete }: FieldProps & { readonly kind: SimpleKind }) {
  const id = useId()
  const { schema } = field
  const input = { id, value, onChange, describedBy: `${id}-about` }
  return (
    <div class="entry">
      <label for={id}>
        <FieldName field={field} />
      </label>
      <About id={`${id}-about`} schema={schema} />
      {kind.kind === 'choice' && <Select {...input} options={kind.options} />}
      {kind.kind === 'boolean' && <Select {...input} options={BOOLEANS} />}
      {kind.kind === 'number' && <NumberInput {...input} />}
      {kind.kind === 'json' && <JsonInput {...input} />}
      {kind.kind === 'text' && (
        <TextInput {...input} value={textOf(value)} isSecret={kind.format === 'password'} complete={complete} />
      )}
    </div>
  )
}

const BOOLEANS = [
  { value: true, label: 'true' },
  { value: false, label: 'false' },
]

function FieldName({ field: { name, schema, isRequired } }: { readonly field: NamedField }) {
  const title = textOf(schema.title)
  const limits = describeField(schema)
  return (
    <>
      <code>{name}</code>
      {title !== '' && title !== name && <span> {title}</span>}
      {isRequired && <span class="required"> required</span>}
      {limits !== '' && <span class="limits quiet"> {limits}</span>}
    </>
  )
}

function About({ id, schema }: { readonly id: string; readonly schema: Members }) {
  return (
    <p id={id} class="about quiet">
      {textOf(schema.description)}
    </p>
  )
}

interface InputProps {
  readonly id: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly describedBy: string
}

interface SelectProps extends InputProps {
  readonly options: readonly { readonly value: unknown; readonly label: string }[]
}

function Select({ id, value, onChange, describedBy, options }: SelectProps) {
  const chosen = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value))
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      value={String(chosen)}
      onChange={(event) => onChange(options[Number(event.currentTarget.value)]?.value)}
    >
      <option value="-1">(not set)</option>
      {options.map(({ label }, index) => (
        <option key={label} value={String(index)}>
          {label}
        </option>
      ))}
    </select>
  )
}

/** Keeps what is typed: `1.` is a number while one types. */
function NumberInput({ id, value, onChange, describedBy }: InputProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed !== undefined && readNumber(typed) === value ? typed : textOfNumber(value)
  return (
    <input
      id={id}
      class="field"
      inputMode="decimal"
      autocomplete="off"
      aria-describedby={describedBy}
      value={shown}
      onInput={(event) => {
        setTyped(event.currentTarget.value)
        onChange(readNumber(event.currentTarget.value))
      }}
    />
  )
}

function textOfNumber(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}

/** For what no other field fits. */
function JsonInput({ id, value, onChange, describedBy }: InputProps) {
  const [typed, setTyped] = useState<string>()
  const parsed = typed === undefined || typed.trim() === '' ? { value: undefined } : parseJson(typed)
  const isOwn = typed !== undefined && ('problem' in parsed || JSON.stringify(parsed.value) === JSON.stringify(value))
  return (
    <>
      <textarea
        id={id}
        class="field code"
        rows={2}
        spellcheck={false}
        placeholder="JSON"
        aria-describedby={describedBy}
        aria-invalid={'problem' in parsed && isOwn}
        value={isOwn ? typed : value === undefined ? '' : formatJson(value)}
        onInput={({ currentTarget: { value: text } }) => {
          setTyped(text)
          const read = text.trim() === '' ? { value: undefined } : parseJson(text)
          if ('value' in read) onChange(read.value)
        }}
      />
      {'problem' in parsed && isOwn && <p class="bad">{parsed.problem}</p>}
    </>
  )
}

function ObjectField({ field, root, value, onChange, isItem }: FieldProps) {
  const isSet = isMembers(value)
  return (
    <Group field={field}>
      {isSet && <SchemaFields schema={field.schema} root={root} value={value} onChange={onChange} />}
      {!(isItem && isSet) && (
        <button
          class="button small"
          type="button"
          onClick={() => onChange(isSet ? undefined : initialMembers(field.schema, root))}
        >
          {isSet ? 'Remove' : 'Add'} {field.name}
        </button>
      )}
    </Group>
  )
}

function ListField({ field, root, value, onChange, item }: FieldProps & { readonly item: Members }) {
  const items = listOf(value)
  const replace = (index: number, changed: unknown): void =>
    onChange(items.map((before, at) => (at === index ? (changed ?? '') : before)))
  const remove = (index: number): void => {
    const rest = items.filter((_, at) => at !== index)
    onChange(rest.length === 0 ? undefined : rest)
  }
  return (
    <Group field={field}>
      {items.map((each, index) => (
        // Items have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <div class="item" key={index}>
          <Field
            field={{ name: `${field.name} ${index + 1}`, schema: item, isRequired: false }}
            root={root}
            value={each}
            onChange={(changed) => replace(index, changed)}
            isItem
          />
          <button class="button small" type="button" onClick={() => remove(index)}>
            Remove<span class="unseen"> {`${field.name} ${index + 1}`}</span>
          </button>
        </div>
      ))}
      <button class="button small" type="button" onClick={() => onChange([...items, newItem(item, root)])}>
        Add<span class="unseen"> to {field.name}</span>
      </button>
    </Group>
  )
}

function newItem(item: Members, root: Members): unknown {
  const { kind } = fieldKindOf(item, root)
  return membersOf(item).default ?? (kind === 'object' ? initialMembers(item, root) : kind === 'list' ? [] : '')
}

function Group({ field, children }: { readonly field: NamedField; readonly children: ComponentChildren }) {
  const id = useId()
  return (
    <fieldset class="entry group" aria-describedby={id}>
      <legend>
        <FieldName field={field} />
      </legend>
      <About id={id} schema={field.schema} />
      {children}
    </fieldset>
  )
}
