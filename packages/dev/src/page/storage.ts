// What this tab remembers: the key of the link, and what was typed into forms, across reloads of the page and restarts of
// the server. Used by main.tsx and call-form.tsx. Reads and writes sessionStorage and the address.

import { isMembers, type Members, parseJson } from './json.js'

const KEY = 'key'

let keyOfTab: string | null = null

/** The key of the link, which is removed from the address; undefined if there was none. */
export function loadKey(): string | undefined {
  const key = /^#key=([\w-]+)$/.exec(location.hash)?.[1]
  if (key !== undefined) {
    history.replaceState(null, '', location.pathname)
    keyOfTab = key
    write(KEY, key)
  }
  return read(KEY) ?? keyOfTab ?? undefined
}

/** What was typed into a form. */
export interface FormDraft {
  readonly value: Members
  /** The text of the JSON mode; undefined in the form mode. */
  readonly json: string | undefined
}

export function loadDraft(name: string): FormDraft | undefined {
  const stored = parseJson(read(`form ${name}`) ?? '')
  if (!('value' in stored) || !isMembers(stored.value) || !isMembers(stored.value.value)) return undefined
  const { value, json } = stored.value
  return { value, json: typeof json === 'string' ? json : undefined }
}

export function storeDraft(name: string, draft: FormDraft): void {
  write(`form ${name}`, JSON.stringify(draft))
}

/** Storage may be disabled or full. */
function read(name: string): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}

function write(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text)
  } catch {
    // It is remembered until the page is reloaded.
  }
}
