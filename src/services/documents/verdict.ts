// What a page turned out to be, by its status and by the evidence it shows: the document, or one of the kinds of
// emptiness. None of them may pass for a document.

import type { Copy } from './copy.js'
import type { Evidence, Reading } from './extract/extractor.js'

export type Status =
  | 'ok'
  | 'needs_javascript'
  | 'blocked'
  | 'login'
  | 'paywall'
  /** It shows nothing before somebody has agreed to cookies. */
  | 'consent'
  | 'not_found'
  | 'empty'
  /** Another status than 2xx. */
  | 'http_error'

export interface Verdict {
  readonly status: Status
  /** A sentence on what led to it, with its numbers; '' where it is a document. */
  readonly seen: string
  /** Whether a browser would show more of it. */
  readonly scripts: 'needed' | 'perhaps' | 'no'
}

/** Below it, what a page shows may be a notice instead of its text. */
const NOTICE_CHARS = 1500
const LOGIN_CHARS = 600
const CONSENT_CHARS = 800
/** Below it, a page whose root is empty, or that asks for scripts, may lack a part of its text. */
const SHELL_CHARS = 1000
/** Below it, such a page is only a shell, and any page with scripts may be one. */
const FEW_CHARS = 250
const LOADING_CHARS = 120

const ELSEWHERE = 'Check the address, or find the same text elsewhere.'
const CONSENT_TITLE =
  /^(?:before you continue|we (?:value|care about|respect) your privacy|(?:your )?(?:cookies?|privacy) (?:consent|choices|preferences|settings|wall)|cookies? (?:are )?(?:required|needed)|accept cookies|consent)\b/i

export function judge(copy: Copy, reading: Reading | undefined): Verdict {
  const evidence = reading?.evidence
  const chars = charsOf(reading)
  const isOk = copy.status >= 200 && copy.status < 300
  if (evidence && evidence.challenge !== '' && (!isOk || chars < NOTICE_CHARS)) {
    return {
      status: 'blocked',
      seen: `It showed a bot check (${evidence.challenge}) and ${answered(copy)}.`,
      scripts: 'needed',
    }
  }
  const guard = guardOf(copy)
  if (guard !== '' && (copy.way !== 'browser' || chars < FEW_CHARS)) {
    return { status: 'blocked', seen: `It showed a bot check (${guard}) and ${answered(copy)}.`, scripts: 'needed' }
  }
  if (!isOk) {
    // Some let nobody in who is no browser.
    const scripts = copy.status === 403 && copy.way === 'http' ? 'perhaps' : 'no'
    return { status: statusOf(copy, evidence), seen: `The server ${answered(copy)}.`, scripts }
  }
  if (!reading || !evidence) {
    return final('empty', `The server ${answered(copy)}, and ${copy.bytes.length} bytes. ${ELSEWHERE}`)
  }
  if (evidence.saysNotFound && chars < NOTICE_CHARS) {
    return final('not_found', `The server ${answered(copy)}, but the page says that it was not found.`)
  }
  if (evidence.hasLoginForm && chars < LOGIN_CHARS) {
    return final('login', `It showed a login form and ${chars} characters of text${redirected(copy)}.`)
  }
  if (chars < CONSENT_CHARS && asksForConsent(copy, reading)) {
    return final('consent', `It asks for consent to cookies, and shows ${chars} characters of text${redirected(copy)}.`)
  }
  if (evidence.hasPaywall)
    return final('paywall', `It says that the whole text is for subscribers; ${chars} characters are shown.`)
  return emptiness(copy, reading, chars)
}

/** Who says in a header that this is not the page. */
function guardOf({ headers }: Copy): string {
  if (headers.get('cf-mitigated') === 'challenge') return 'Cloudflare'
  return /^(?:captcha|challenge)$/i.test(headers.get('x-amzn-waf-action') ?? '') ? 'AWS WAF' : ''
}

/** By its title or address, and its text too: a page on cookies has one of them, and more to say. */
function asksForConsent({ url }: Copy, { kind, title, content }: Reading): boolean {
  if (kind !== 'html' || !/\bcookies?\b|\bprivacy\b/i.test(content)) return false
  if (CONSENT_TITLE.test(title) || /^consent\./i.test(new URL(url).host)) return true
  return /\bconsent\b/i.test(new URL(url).pathname) && /\bcookies\b/i.test(content)
}

/** A section may be as short as it likes: it is there, and so is its page. */
function charsOf(reading: Reading | undefined): number {
  if (!reading) return 0
  const shown = reading.content.trim().length
  return reading.hasFragment ? Math.max(shown, reading.evidence.textChars) : shown
}

function emptiness(copy: Copy, reading: Reading, chars: number): Verdict {
  const { evidence } = reading
  const numbers = `${chars} characters of text in ${evidence.htmlChars} of HTML with ${evidence.scripts} scripts`
  const scripts = copy.way === 'browser' || reading.kind !== 'html' ? 'no' : needsScripts(reading, chars)
  if (scripts === 'needed') return { status: 'needs_javascript', seen: `It has ${numbers}${signs(evidence)}.`, scripts }
  if (chars > 0 && !(copy.way === 'browser' && isLoading(reading.content))) return { status: 'ok', seen: '', scripts }
  return { status: 'empty', seen: withoutText(copy, reading, numbers), scripts }
}

function withoutText({ way, waitedMs, bytes }: Copy, { kind, pages }: Reading, numbers: string): string {
  if (kind === 'pdf') {
    return `It is a PDF of ${pages} pages without any text, so it was probably scanned: save it with Bash and look at it with ReadImage.`
  }
  if (kind !== 'html') return `It is ${bytes.length} bytes long, and has no text. ${ELSEWHERE}`
  const waited = way === 'browser' ? `, also after ${waitedMs} ms in the browser` : ''
  return `It has ${numbers}${waited}. If its text takes longer to appear, give wait_ms.`
}

function needsScripts({ content, evidence }: Reading, chars: number): Verdict['scripts'] {
  const { scripts, hasEmptyRoot, asksForScripts } = evidence
  if (scripts === 0 && !asksForScripts) return 'no'
  if (chars === 0 || isLoading(content)) return 'needed'
  const isShell = hasEmptyRoot || asksForScripts
  // A page that has text is given, also where scripts may add to it.
  if (chars < FEW_CHARS) return isShell ? 'needed' : 'perhaps'
  return isShell && chars < SHELL_CHARS ? 'perhaps' : 'no'
}

/** All that it says is that there will be more. */
function isLoading(content: string): boolean {
  return content.trim().length < LOADING_CHARS && /\b(loading|please wait)\b|^[\s.…·]*$/i.test(content)
}

function signs({ hasEmptyRoot, asksForScripts }: Evidence): string {
  return `${hasEmptyRoot ? ', an empty root element' : ''}${asksForScripts ? ', and says that it needs JavaScript' : ''}`
}

function statusOf({ status }: Copy, evidence: Evidence | undefined): Status {
  if (status === 404 || status === 410) return 'not_found'
  if (status === 401 || status === 407) return 'login'
  if (status === 402) return 'paywall'
  if (status === 403) return evidence?.hasLoginForm ? 'login' : 'blocked'
  return status === 429 || status === 451 ? 'blocked' : 'http_error'
}

function final(status: Status, seen: string): Verdict {
  return { status, seen, scripts: 'no' }
}

function answered({ status, headers }: Copy): string {
  const wait = headers.get('retry-after')?.trim() ?? ''
  if (wait === '') return `answered with status ${status}`
  if (/^\d{1,9}$/.test(wait)) return `answered with status ${status} and asks to come back in ${wait} s`
  const at = Date.parse(wait)
  // It is the server that says it: only what is a date is repeated.
  return `answered with status ${status}${Number.isNaN(at) ? '' : ` and asks to come back at ${new Date(at).toISOString()}`}`
}

function redirected({ asked, url }: Copy): string {
  return asked === url ? '' : `, at ${new URL(url).origin}${new URL(url).pathname}`
}
