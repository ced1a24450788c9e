// Collects signals of login forms, paywalls, missing pages and script shells, by which a page is classified.

import { isObject } from '../../../lib/json.js'
import type { Block } from './blocks.js'
import { challengeIn } from './challenge.js'
import type { Evidence } from './extractor.js'
import type { PageFacts } from './page-facts.js'
import { attribute, isElement, isText, plainText, type Element } from './tree.js'

/** Signals of the markup, read before scripts and other elements are removed. */
export interface FirstLook {
  readonly scripts: number
  readonly links: number
  readonly hasEmptyRoot: boolean
  readonly noscript: string
  readonly hasLoginForm: boolean
  readonly hasPaywallMark: boolean
  /** Its structured data declares that access is not free. */
  readonly isDeclaredPaid: boolean
}

const APP_ROOT_IDS =
  /^(?:root|app|__next|__nuxt|___gatsby|q-app|svelte|main-app|react-root|ember-app|app-root|mount|container-app)$/i
const PAYWALL_CLASSES =
  /(?:^|[\s_-])(?:paywall|pay-wall|piano-offer|tp-modal|subscriber-only|premium-content-wall|regwall|meteredContent|gateway-content)(?:$|[\s_-])/i

export function firstLook(elements: readonly Element[], jsonLd: readonly unknown[]): FirstLook {
  let scripts = 0
  let links = 0
  let noscript = ''
  let hasEmptyRoot = false
  let hasLoginForm = false
  let hasPaywallMark = false
  for (const element of elements) {
    if (element.name === 'script') scripts++
    else if (element.name === 'a') links++
    else if (element.name === 'noscript') noscript += ` ${plainText(element).slice(0, 2000)}`
    else if (element.name === 'input') hasLoginForm ||= attribute(element, 'type').toLowerCase() === 'password'
    else {
      hasEmptyRoot ||= isAppRoot(element) && !hasVisibleText(element)
      hasPaywallMark ||=
        PAYWALL_CLASSES.test(attribute(element, 'class')) || PAYWALL_CLASSES.test(attribute(element, 'id'))
    }
  }
  return {
    scripts,
    links,
    hasEmptyRoot,
    noscript,
    hasLoginForm,
    hasPaywallMark,
    isDeclaredPaid: isDeclaredPaid(jsonLd, 0),
  }
}

function isAppRoot(element: Element): boolean {
  return APP_ROOT_IDS.test(attribute(element, 'id')) || element.name === 'app-root'
}

const INVISIBLE_TAGS = new Set(['script', 'style', 'noscript', 'template', 'svg'])

function hasVisibleText(element: Element): boolean {
  return element.children.some((child) =>
    isText(child)
      ? child.data.trim() !== ''
      : isElement(child) && !INVISIBLE_TAGS.has(child.name) && hasVisibleText(child),
  )
}

const MAX_DEPTH = 8

function isDeclaredPaid(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.some((item) => isDeclaredPaid(item, depth + 1))
  if (!isObject(value)) return false
  if (/^false$/i.test(String(value.isAccessibleForFree))) return true
  return Object.values(value).some((item) => isDeclaredPaid(item, depth + 1))
}

const SCRIPTS_REQUIRED_TEXT =
  /(?:enable|turn on|activate|allow|requires?|needs?|without|disabled|support)[^.]{0,60}\bjava\s?script|\bjava\s?script\b[^.]{0,60}(?:enable|required|needed|disabled|turned off|not supported|to run|to work|to view|to continue)/i
/** Matches whole headings, because other pages ask why something was not found. */
const NOT_FOUND_TITLE =
  /^(?:error\s*)?404\b|\b404\b.{0,20}(?:error|not found)|^(?:(?:sorry|oops|whoops|error|we(?:[’']re| are) sorry)\b[^\p{L}\p{N}]*)?(?:(?:but )?(?:the|this|that|your|requested) ){0,3}(?:page|file|document|article|product|resource|site|content)\b.{0,40}(?:not found|(?:does|could)(?:n[’']t| not) (?:exist|be found)|no longer (?:exists|available)|can(?:[’']t|not) be found)|^(?:page |sorry, )?not found$|we can(?:[’']t|not) find (?:the|that|this) page|seite nicht gefunden|page introuvable|página no encontrada/iu
const PAYWALL_TEXT =
  /subscri\w{1,12} to (?:continue|read|unlock|keep)|(?:log|sign) in to (?:continue|read)|to continue reading|already a subscriber|this (?:article|content|story) is (?:for|only|reserved)|unlock this (?:article|story)/i
const MAX_SHORT_PAGE_CHARS = 3000
/** With more text, a login form counts only if a heading mentions a login. */
const MAX_LOGIN_PAGE_CHARS = 200
const LOGIN_TEXT =
  /\b(?:log|sign) ?in\b|\blogin\b|\bsign ?on\b|authenticat|anmelde|connexion|iniciar sesi|로그인|تسجيل الدخول/i
const OPENING_BLOCKS = 3
const MAX_NOT_FOUND_TITLE_CHARS = 80

export interface SignalSources {
  readonly html: string
  readonly markupSignals: FirstLook
  readonly metadata: PageFacts
  readonly blocks: readonly Block[]
  readonly contentChars: number
  readonly isFromState: boolean
}

export function evidenceOf(page: SignalSources): Evidence {
  const visible = page.blocks.filter(({ isHidden }) => !isHidden)
  const textChars = visible.reduce((sum, { text }) => sum + text.length, 0)
  const isShort = textChars < MAX_SHORT_PAGE_CHARS
  const text = isShort ? visible.map((block) => block.text).join('\n') : ''
  const headings = [
    page.metadata.title,
    ...visible.filter(({ element }) => /^h[12]$/.test(element.name)).map((block) => block.text),
  ]
  return {
    htmlChars: page.html.length,
    textChars,
    contentChars: page.contentChars,
    scripts: page.markupSignals.scripts,
    hasEmptyRoot: page.markupSignals.hasEmptyRoot,
    asksForScripts:
      SCRIPTS_REQUIRED_TEXT.test(page.markupSignals.noscript) || SCRIPTS_REQUIRED_TEXT.test(text.slice(0, 1500)),
    isFromState: page.isFromState,
    challenge: challengeIn({
      html: page.html,
      textChars,
      links: page.markupSignals.links,
      beginning: [page.metadata.title, ...visible.slice(0, OPENING_BLOCKS).map((block) => block.text)]
        .join('\n')
        .slice(0, 600),
      scripts: page.markupSignals.scripts,
    }),
    hasLoginForm:
      page.markupSignals.hasLoginForm &&
      (textChars < MAX_LOGIN_PAGE_CHARS || headings.some((heading) => LOGIN_TEXT.test(heading))),
    hasPaywall:
      page.markupSignals.isDeclaredPaid ||
      (page.markupSignals.hasPaywallMark &&
        (isShort || visible.some((block) => block.text.length < 400 && PAYWALL_TEXT.test(block.text)))),
    saysNotFound:
      isShort &&
      headings
        .slice(0, 4)
        .some((heading) => heading.length < MAX_NOT_FOUND_TITLE_CHARS && NOT_FOUND_TITLE.test(heading.trim())),
    alternates: page.metadata.alternates,
    refreshTo: page.metadata.refreshTo,
  }
}
