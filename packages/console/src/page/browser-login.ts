// Keeps the tabs of this browser logged in to the console of `scorpiox-code ui`. A tab makes a key pair whose private part
// is in its memory only, and signs the number of each running server and its own origin. What it signs is stored for the
// other tabs: it is worth nothing after that run, so a program that takes the port meanwhile finds nothing to use. Used by
// main.tsx. Reads and writes localStorage; sends requests through api.ts.

import { fetchLogin, type LoginInfo, type LoginKind, sendBrowser } from './api.js'
import { removeForeignWorkers } from './foreign-workers.js'

interface TabKey {
  readonly privateKey: CryptoKey
  /** Given by the server. */
  readonly id: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const
const STORAGE_KEY = 'login'
const CREDENTIAL = /^browser\.([\da-f]{32})\.([\w-]{22,64})\.[\w-]{86}$/

let tabKey: TabKey | undefined
/** Logouts so far: one that happens while the tab is being remembered counts. */
let logouts = 0

/** Called with what the tab has logged in with. Without cryptography the tab is logged in until the server stops. */
export async function rememberTab(token: string): Promise<void> {
  if (tabKey !== undefined) return
  const logoutsBefore = logouts
  try {
    const info = await fetchLogin()
    if (info?.kind !== 'ui' || info.run === undefined) return
    const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
    const body = { publicKey: toBase64Url(await crypto.subtle.exportKey('spki', publicKey)) }
    // So that the tabs of this browser log out together, also if each was opened by the link.
    const shared = readShared(info.run)
    const id = (shared && (await sendBrowser(shared, 'remember', body))) ?? (await sendBrowser(token, 'remember', body))
    if (id === null) return
    if (logouts > logoutsBefore) return void (await sendBrowser(token, 'forget', { id }))
    tabKey ??= { privateKey, id }
    if (await removeForeignWorkers()) await signRun(info.run)
  } catch {
    // The next start of the server needs its link.
  }
}

/** What the login accepts, also while no server responds: a browser that has a credential was logged in to `ui`. */
export async function findLoginKind(): Promise<LoginKind | undefined> {
  return (await fetchLogin())?.kind ?? (readStored() === undefined ? undefined : 'ui')
}

export type SignInResult =
  | { readonly outcome: 'signed-in'; readonly token: string }
  /** The page has to be loaded again. */
  | { readonly outcome: 'foreign-worker' }
  | { readonly outcome: 'unreachable' }
  | { readonly outcome: 'none' }

/** With the key of this tab or the credential of another one. */
export async function signIn({ kind, run }: LoginInfo): Promise<SignInResult> {
  if (kind !== 'ui' || run === undefined) return { outcome: 'none' }
  try {
    // Requests with the credential would pass through it.
    if (!(await removeForeignWorkers())) return { outcome: 'foreign-worker' }
  } catch {
    return { outcome: 'unreachable' }
  }
  const token = (await signRun(run)) ?? readShared(run)
  return token === undefined ? { outcome: 'none' } : { outcome: 'signed-in', token }
}

async function signRun(run: string): Promise<string | undefined> {
  const key = tabKey
  if (key === undefined) return undefined
  try {
    // browser-logins.ts of the server has the same text.
    const text = new TextEncoder().encode(`scorpiox-code ui\n${run}\n${location.origin}`)
    const signature = await crypto.subtle.sign(SIGNATURE, key.privateKey, text)
    if (tabKey !== key) return undefined
    const credential = `browser.${key.id}.${run}.${toBase64Url(signature)}`
    store(credential)
    return credential
  } catch {
    return undefined
  }
}

/** The user logs out: this tab, and those that have logged in with its credential. The request is not awaited. */
export function forgetTab(token: string): void {
  logouts += 1
  const id = tabKey?.id ?? CREDENTIAL.exec(readStored() ?? '')?.[1]
  dropCredentials()
  // If it fails, the server forgets the tab because it is not used.
  if (id !== undefined) sendBrowser(token, 'forget', { id }).catch(() => undefined)
}

/** The server does not accept them any more. */
export function dropCredentials(): void {
  tabKey = undefined
  store(undefined)
}

/** Calls `act` when another tab has logged in. */
export function onOtherLogin(act: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === STORAGE_KEY && newValue !== null) act()
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

function readShared(run: string): string | undefined {
  const credential = readStored()
  return CREDENTIAL.exec(credential ?? '')?.[2] === run ? credential : undefined
}

function readStored(): string | undefined {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? undefined
  } catch {
    return undefined
  }
}

function store(credential: string | undefined): void {
  try {
    if (credential === undefined) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, credential)
  } catch {
    // Other tabs have to open the link.
  }
}

function toBase64Url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
