// What the user has typed into answers, comments and plans and not sent yet: it survives a change of the view, a reload
// and a lost connection, and stays when what was asked disappears. Each user has their own. Never for passwords. Used by the
// cards of Home, main.tsx and use-console.ts. Reads and writes sessionStorage.

export interface Draft {
  /** Of the question or approval. */
  readonly key: string
  readonly project: string
  readonly title: string
  /** What the user has typed, to be copied if the question disappears. */
  readonly typed: readonly string[]
  /** The state of the form, as JSON. */
  readonly form: unknown
}

const PREFIX = 'draft:'
/** The oldest are dropped. */
const MAX_DRAFTS = 40

/** Newest last. Without storage, or if it is full, drafts are lost by a reload only. */
const drafts = new Map<string, Draft>()
/** Keys of drafts that are being sent: they are not lost if what was asked disappears meanwhile. */
const sending = new Set<string>()
let isLoaded = false
/** The user whose drafts these are: after another one has logged in, they are not shown. */
let owner = ''

/** Called before anything is shown to the user. */
export function setDraftOwner(user: string): void {
  if (user === owner) return
  owner = user
  drafts.clear()
  sending.clear()
  isLoaded = false
}

export function readDraft(key: string): unknown {
  load()
  return drafts.get(key)?.form
}

export function saveDraft(draft: Draft): void {
  load()
  drafts.delete(draft.key)
  drafts.set(draft.key, draft)
  for (const key of [...drafts.keys()].slice(0, -MAX_DRAFTS)) deleteDraft(key)
  store(() => sessionStorage.setItem(storageName(draft.key), JSON.stringify({ ...draft, savedAt: Date.now() })))
}

export function deleteDraft(key: string): void {
  drafts.delete(key)
  sending.delete(key)
  store(() => sessionStorage.removeItem(storageName(key)))
}

/** Call before sending; call the returned function if that failed. */
export function markSending(key: string): () => void {
  sending.add(key)
  return () => void sending.delete(key)
}

/** Drafts with typed text whose question is not open any more. */
export function findLostDrafts(openKeys: ReadonlySet<string>): readonly Draft[] {
  load()
  const lost = [...drafts.values()].filter(({ key }) => !openKeys.has(key) && !sending.has(key))
  return lost.filter(({ typed }) => typed.some((text) => text.trim() !== ''))
}

/** At logout: those of this user. */
export function clearDrafts(): void {
  load()
  for (const key of drafts.keys()) deleteDraft(key)
}

function storageName(key: string): string {
  return `${PREFIX}${JSON.stringify(owner)}:${key}`
}

function load(): void {
  if (isLoaded) return
  isLoaded = true
  store(() => {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(storageName('')))
    const stored = names.flatMap((name) => parseDraft(sessionStorage.getItem(name)) ?? [])
    for (const { draft } of stored.toSorted((a, b) => a.savedAt - b.savedAt)) drafts.set(draft.key, draft)
  })
}

function parseDraft(text: string | null): { readonly draft: Draft; readonly savedAt: number } | undefined {
  const value: unknown = JSON.parse(text ?? 'null')
  if (typeof value !== 'object' || value === null || !('savedAt' in value) || !isDraft(value)) return undefined
  return { draft: value, savedAt: Number(value.savedAt) }
}

function isDraft(value: object): value is Draft {
  const hasTexts = 'key' in value && 'project' in value && 'title' in value
  return hasTexts && 'typed' in value && Array.isArray(value.typed) && 'form' in value
}

/** Storage may be disabled, full or changed by something else. */
function store(work: () => void): void {
  try {
    work()
  } catch {
    // The drafts stay in memory.
  }
}
