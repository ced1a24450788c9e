// Classifies a page by its status and signals: the document, or a login form, bot check, empty shell and so on, which must
// not be taken for the document.

import type { Copy } from './copy.js'
import type { Evidence, Reading } from './extract/extractor.js'

export type Status =
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

export interface Verdict {
  readonly status: Status
  /** A sentence on the cause, with its numbers; '' for a document. */
  readonly seen: string
  /** Whether a browser would show more of the page. */
  readonly scripts: 'yes' | 'maybe' | 'no'
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

export function judge(snapshot: Copy, extracted: Reading | undefined): Verdict {
  const signals = extracted?.evidence
  const chars = countChars(extracted)
  const isOk = snapshot.status >= 200 && snapshot.status < 300
  if (signals && signals.challenge !== '' && (!isOk || chars < MAX_NOTICE_CHARS)) {
    return {
      status: 'blocked',
      seen: `It showed a bot check (${signals.challenge}) and ${describeResponse(snapshot)}.`,
      scripts: 'yes',
    }
  }
  const vendor = challengeVendorFromHeaders(snapshot)
  if (vendor !== '' && (snapshot.way !== 'browser' || chars < MAX_EMPTY_SHELL_CHARS)) {
    return {
      status: 'blocked',
      seen: `It showed a bot check (${vendor}) and ${describeResponse(snapshot)}.`,
      scripts: 'yes',
    }
  }
  if (!isOk) {
    // Some sites reject clients that are not browsers.
    const browserWouldHelp = snapshot.status === 403 && snapshot.way === 'http' ? 'maybe' : 'no'
    return {
      status: classifyHttpStatus(snapshot, signals),
      seen: `The server ${describeResponse(snapshot)}.`,
      scripts: browserWouldHelp,
    }
  }
  if (!extracted || !signals) {
    return finalStatus(
      'empty',
      `The server ${describeResponse(snapshot)}, and ${snapshot.bytes.length} bytes. ${CHECK_URL_ADVICE}`,
    )
  }
  if (signals.saysNotFound && chars < MAX_NOTICE_CHARS) {
    return finalStatus(
      'not_found',
      `The server ${describeResponse(snapshot)}, but the page says that it was not found.`,
    )
  }
  if (signals.hasLoginForm && chars < MAX_LOGIN_CHARS) {
    return finalStatus('login', `It showed a login form and ${chars} characters of text${redirectNote(snapshot)}.`)
  }
  if (chars < MAX_CONSENT_CHARS && isConsentPage(snapshot, extracted)) {
    return finalStatus(
      'consent',
      `It asks for consent to cookies, and shows ${chars} characters of text${redirectNote(snapshot)}.`,
    )
  }
  if (signals.hasPaywall)
    return finalStatus('paywall', `It says that the whole text is for subscribers; ${chars} characters are shown.`)
  return classifyEmptyPage(snapshot, extracted, chars)
}

/** The vendor whose header marks the response as a bot check; '' for none. */
function challengeVendorFromHeaders({ headers }: Copy): string {
  if (headers.get('cf-mitigated') === 'challenge') return 'Cloudflare'
  return /^(?:captcha|challenge)$/i.test(headers.get('x-amzn-waf-action') ?? '') ? 'AWS WAF' : ''
}

/** By title or URL, and text: a page about cookies has one of them, and more text. */
function isConsentPage({ url }: Copy, { kind, title, content }: Reading): boolean {
  if (kind !== 'html' || !/\bcookies?\b|\bprivacy\b/i.test(content)) return false
  if (CONSENT_TITLE.test(title) || /^consent\./i.test(new URL(url).host)) return true
  return /\bconsent\b/i.test(new URL(url).pathname) && /\bcookies\b/i.test(content)
}

/** A short section counts with the text of its page. */
function countChars(extracted: Reading | undefined): number {
  if (!extracted) return 0
  const length = extracted.content.trim().length
  return extracted.hasFragment ? Math.max(length, extracted.evidence.textChars) : length
}

function classifyEmptyPage(snapshot: Copy, extracted: Reading, chars: number): Verdict {
  const { evidence } = extracted
  const counts = `${chars} characters of text in ${evidence.htmlChars} of HTML with ${evidence.scripts} scripts`
  const browserWouldHelp =
    snapshot.way === 'browser' || extracted.kind !== 'html' ? 'no' : wouldBrowserHelp(extracted, chars)
  if (browserWouldHelp === 'yes')
    return {
      status: 'needs_javascript',
      seen: `It has ${counts}${describeSignals(evidence)}.`,
      scripts: browserWouldHelp,
    }
  if (chars > 0 && !(snapshot.way === 'browser' && isLoading(extracted.content)))
    return { status: 'ok', seen: '', scripts: browserWouldHelp }
  return { status: 'empty', seen: describeEmptyPage(snapshot, extracted, counts), scripts: browserWouldHelp }
}

function describeEmptyPage({ way, waitedMs, bytes }: Copy, { kind, pages }: Reading, counts: string): string {
  if (kind === 'pdf') {
    return `It is a PDF of ${pages} pages without text, probably scanned: save it with Bash and open it with ReadImage.`
  }
  if (kind !== 'html') return `It is ${bytes.length} bytes long, and has no text. ${CHECK_URL_ADVICE}`
  const waitNote = way === 'browser' ? `, also after ${waitedMs} ms in the browser` : ''
  return `It has ${counts}${waitNote}. If its text takes longer to appear, give wait_ms.`
}

function wouldBrowserHelp({ content, evidence }: Reading, chars: number): Verdict['scripts'] {
  const { scripts, hasEmptyRoot, asksForScripts } = evidence
  if (scripts === 0 && !asksForScripts) return 'no'
  if (chars === 0 || isLoading(content)) return 'yes'
  const isScriptShell = hasEmptyRoot || asksForScripts
  // A page with text is returned, even if scripts may add to it.
  if (chars < MAX_EMPTY_SHELL_CHARS) return isScriptShell ? 'yes' : 'maybe'
  return isScriptShell && chars < MAX_SHELL_CHARS ? 'maybe' : 'no'
}

/** The page only says that it is loading. */
function isLoading(content: string): boolean {
  return content.trim().length < MAX_LOADING_CHARS && /\b(loading|please wait)\b|^[\s.…·]*$/i.test(content)
}

function describeSignals({ hasEmptyRoot, asksForScripts }: Evidence): string {
  return `${hasEmptyRoot ? ', an empty root element' : ''}${asksForScripts ? ', and says that it needs JavaScript' : ''}`
}

function classifyHttpStatus({ status }: Copy, signals: Evidence | undefined): Status {
  if (status === 404 || status === 410) return 'not_found'
  if (status === 401 || status === 407) return 'login'
  if (status === 402) return 'paywall'
  if (status === 403) return signals?.hasLoginForm ? 'login' : 'blocked'
  return status === 429 || status === 451 ? 'blocked' : 'http_error'
}

function finalStatus(status: Status, seen: string): Verdict {
  return { status, seen, scripts: 'no' }
}

function describeResponse({ status, headers }: Copy): string {
  const retryAfter = headers.get('retry-after')?.trim() ?? ''
  if (retryAfter === '') return `answered with status ${status}`
  if (/^\d{1,9}$/.test(retryAfter)) return `answered with status ${status} and Retry-After ${retryAfter} s`
  const at = Date.parse(retryAfter)
  // The header is untrusted: only a valid date is repeated.
  return `answered with status ${status}${Number.isNaN(at) ? '' : ` and Retry-After ${new Date(at).toISOString()}`}`
}

function redirectNote({ asked, url }: Copy): string {
  return asked === url ? '' : `, at ${new URL(url).origin}${new URL(url).pathname}`
}
