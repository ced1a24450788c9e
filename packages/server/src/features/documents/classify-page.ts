// Classifies a page by its status and signals: the document, or a login form, bot check, empty shell and so on, which must
// not be taken for the document. Used by fetch-context after each fetch. Pure.

import { formatCount } from '../../text/format.js'
import type { ExtractResult, PageSignals } from './extract/extract-types.js'
import type { PageSnapshot } from './page-fetcher.js'

export type PageStatus =
  | 'ok'
  | 'needs_javascript'
  | 'blocked'
  | 'login'
  | 'paywall'
  /** Shows nothing before cookies are accepted. */
  | 'consent'
  | 'not_found'
  | 'empty'
  /** Another status than 2xx. */
  | 'http_error'

export interface PageClassification {
  readonly status: PageStatus
  /** A sentence on the cause, with its numbers; '' for a document. */
  readonly reason: string
  /** Whether a browser would show more of the page. */
  readonly browserWouldHelp: 'yes' | 'maybe' | 'no'
}

/** A page with more text is not a notice in place of the document. */
const MAX_NOTICE_CHARS = 1500
const MAX_LOGIN_CHARS = 600
const MAX_CONSENT_CHARS = 800
/** With less text, a page with an empty root element or a scripts notice may be incomplete. */
const MAX_SHELL_CHARS = 1000
/** With less text, such a page is only a shell, and any page with scripts may be one. */
const MAX_EMPTY_SHELL_CHARS = 250
const MAX_LOADING_CHARS = 120

const CHECK_URL_ADVICE = 'Check the URL, or find the content elsewhere.'
const CONSENT_TITLE =
  /^(?:before you continue|we (?:value|care about|respect) your privacy|(?:your )?(?:cookies?|privacy) (?:consent|choices|preferences|settings|wall)|cookies? (?:are )?(?:required|needed)|accept cookies|consent)\b/i

export function classifyPage(snapshot: PageSnapshot, extracted: ExtractResult | undefined): PageClassification {
  const signals = extracted?.signals
  const chars = countChars(extracted)
  const isOk = snapshot.status >= 200 && snapshot.status < 300
  if (signals && signals.challenge !== '' && (!isOk || chars < MAX_NOTICE_CHARS)) {
    return {
      status: 'blocked',
      reason: `The page shows a bot check (${signals.challenge}); the server ${describeResponse(snapshot)}.`,
      browserWouldHelp: 'yes',
    }
  }
  const vendor = challengeVendorFromHeaders(snapshot)
  if (vendor !== '' && (snapshot.source !== 'browser' || chars < MAX_EMPTY_SHELL_CHARS)) {
    return {
      status: 'blocked',
      reason: `The page shows a bot check (${vendor}); the server ${describeResponse(snapshot)}.`,
      browserWouldHelp: 'yes',
    }
  }
  if (!isOk) {
    // Some sites reject clients that are not browsers.
    const browserWouldHelp = snapshot.status === 403 && snapshot.source === 'http' ? 'maybe' : 'no'
    return {
      status: classifyHttpStatus(snapshot, signals),
      reason: `The server ${describeResponse(snapshot)}.`,
      browserWouldHelp,
    }
  }
  if (!extracted || !signals) {
    return finalStatus(
      'empty',
      `The server ${describeResponse(snapshot)} and ${snapshot.bytes.length} bytes. ${CHECK_URL_ADVICE}`,
    )
  }
  if (signals.saysNotFound && chars < MAX_NOTICE_CHARS) {
    return finalStatus(
      'not_found',
      `The server ${describeResponse(snapshot)}, but the page says that it was not found.`,
    )
  }
  if (signals.hasLoginForm && chars < MAX_LOGIN_CHARS) {
    return finalStatus('login', `The page shows a login form and ${chars} characters of text${redirectNote(snapshot)}.`)
  }
  if (chars < MAX_CONSENT_CHARS && isConsentPage(snapshot, extracted)) {
    return finalStatus(
      'consent',
      `The page asks for consent to cookies and shows ${chars} characters of text${redirectNote(snapshot)}.`,
    )
  }
  if (signals.hasPaywall)
    return finalStatus('paywall', `The page says that the full text is for subscribers; ${chars} characters are shown.`)
  return classifyEmptyPage(snapshot, extracted, chars)
}

/** The vendor whose header marks the response as a bot check; '' for none. */
function challengeVendorFromHeaders({ headers }: PageSnapshot): string {
  if (headers.get('cf-mitigated') === 'challenge') return 'Cloudflare'
  return /^(?:captcha|challenge)$/i.test(headers.get('x-amzn-waf-action') ?? '') ? 'AWS WAF' : ''
}

/** By title or URL, and text: a page about cookies has one of them, and more text. */
function isConsentPage({ finalUrl }: PageSnapshot, { kind, title, content }: ExtractResult): boolean {
  if (kind !== 'html' || !/\bcookies?\b|\bprivacy\b/i.test(content)) return false
  if (CONSENT_TITLE.test(title) || /^consent\./i.test(new URL(finalUrl).host)) return true
  return /\bconsent\b/i.test(new URL(finalUrl).pathname) && /\bcookies\b/i.test(content)
}

/** A short section counts with the text of its page. */
function countChars(extracted: ExtractResult | undefined): number {
  if (!extracted) return 0
  const length = extracted.content.trim().length
  return extracted.hasFragment ? Math.max(length, extracted.signals.textChars) : length
}

function classifyEmptyPage(snapshot: PageSnapshot, extracted: ExtractResult, chars: number): PageClassification {
  const { signals } = extracted
  const counts = `${chars} characters of text in ${signals.htmlChars} of HTML with ${formatCount(signals.scriptCount, 'script', 'scripts')}`
  const browserWouldHelp =
    snapshot.source === 'browser' || extracted.kind !== 'html' ? 'no' : wouldBrowserHelp(extracted, chars)
  if (browserWouldHelp === 'yes')
    return {
      status: 'needs_javascript',
      reason: `The page has ${counts}${describeSignals(signals)}.`,
      browserWouldHelp,
    }
  if (chars > 0 && !(snapshot.source === 'browser' && isLoading(extracted.content)))
    return { status: 'ok', reason: '', browserWouldHelp }
  return { status: 'empty', reason: describeEmptyPage(snapshot, extracted, counts), browserWouldHelp }
}

function describeEmptyPage(
  { source, renderWaitMs, bytes }: PageSnapshot,
  { kind, pageCount }: ExtractResult,
  counts: string,
): string {
  if (kind === 'pdf') {
    return `This is a PDF of ${formatCount(pageCount, 'page', 'pages')} without text, probably scanned. Save it with Bash and open it with ReadImage.`
  }
  if (kind !== 'html') return `The document has ${bytes.length} bytes and no text. ${CHECK_URL_ADVICE}`
  const waitNote = source === 'browser' ? `, even after ${renderWaitMs} ms in the browser` : ''
  return `The page has ${counts}${waitNote}. If its text takes longer to appear, set wait_ms.`
}

function wouldBrowserHelp({ content, signals }: ExtractResult, chars: number): PageClassification['browserWouldHelp'] {
  const { scriptCount, hasEmptyRoot, saysScriptsRequired } = signals
  if (scriptCount === 0 && !saysScriptsRequired) return 'no'
  if (chars === 0 || isLoading(content)) return 'yes'
  const isScriptShell = hasEmptyRoot || saysScriptsRequired
  // A page with text is returned, even if scripts may add to it.
  if (chars < MAX_EMPTY_SHELL_CHARS) return isScriptShell ? 'yes' : 'maybe'
  return isScriptShell && chars < MAX_SHELL_CHARS ? 'maybe' : 'no'
}

/** The page only says that it is loading. */
function isLoading(content: string): boolean {
  return content.trim().length < MAX_LOADING_CHARS && /\b(loading|please wait)\b|^[\s.…·]*$/i.test(content)
}

function describeSignals({ hasEmptyRoot, saysScriptsRequired }: PageSignals): string {
  return `${hasEmptyRoot ? ', an empty root element' : ''}${saysScriptsRequired ? ', and says that it needs JavaScript' : ''}`
}

function classifyHttpStatus({ status }: PageSnapshot, signals: PageSignals | undefined): PageStatus {
  if (status === 404 || status === 410) return 'not_found'
  if (status === 401 || status === 407) return 'login'
  if (status === 402) return 'paywall'
  if (status === 403) return signals?.hasLoginForm ? 'login' : 'blocked'
  return status === 429 || status === 451 ? 'blocked' : 'http_error'
}

function finalStatus(status: PageStatus, reason: string): PageClassification {
  return { status, reason, browserWouldHelp: 'no' }
}

function describeResponse({ status, headers }: PageSnapshot): string {
  const retryAfter = headers.get('retry-after')?.trim() ?? ''
  if (retryAfter === '') return `answered with status ${status}`
  if (/^\d{1,9}$/.test(retryAfter)) return `answered with status ${status} and Retry-After ${retryAfter} s`
  const at = Date.parse(retryAfter)
  // The header is untrusted: only a valid date is repeated.
  return `answered with status ${status}${Number.isNaN(at) ? '' : ` and Retry-After ${new Date(at).toISOString()}`}`
}

function redirectNote({ requestedUrl, finalUrl }: PageSnapshot): string {
  return requestedUrl === finalUrl ? '' : ', after a redirect'
}
