// What a page shows of its own nature, from which others decide whether it is the page at all.

import { isObject } from '../../../lib/json.js'
import type { Block } from './blocks.js'
import { challengeIn } from './challenge.js'
import type { Evidence } from './extractor.js'
import type { PageFacts } from './page-facts.js'
import { attribute, isElement, isText, plainText, type Element } from './tree.js'

/** What can be seen before the page is made ready, since that takes scripts and more away. */
export interface FirstLook {
  readonly scripts: number
  readonly links: number
  readonly hasEmptyRoot: boolean
  readonly noscript: string
  readonly hasLoginForm: boolean
  readonly hasPaywallMark: boolean
  /** It says in so many words that it is not free. */
  readonly isPaid: boolean
}

const ROOTS =
  /^(?:root|app|__next|__nuxt|___gatsby|q-app|svelte|main-app|react-root|ember-app|app-root|mount|container-app)$/i
const PAYWALL =
  /(?:^|[\s_-])(?:paywall|pay-wall|piano-offer|tp-modal|subscriber-only|premium-content-wall|regwall|meteredContent|gateway-content)(?:$|[\s_-])/i

export function firstLook(elements: readonly Element[], linked: readonly unknown[]): FirstLook {
  let scripts = 0
  let links = 0
  let noscript = ''
  const look = { hasEmptyRoot: false, hasLoginForm: false, hasPaywallMark: false, isPaid: isPaid(linked, 0) }
  for (const element of elements) {
    if (element.name === 'script') scripts++
    else if (element.name === 'a') links++
    else if (element.name === 'noscript') noscript += ` ${plainText(element).slice(0, 2000)}`
    else if (element.name === 'input') look.hasLoginForm ||= attribute(element, 'type').toLowerCase() === 'password'
    else {
      look.hasEmptyRoot ||= isRoot(element) && !hasShownText(element)
      look.hasPaywallMark ||= PAYWALL.test(attribute(element, 'class')) || PAYWALL.test(attribute(element, 'id'))
    }
  }
  return { scripts, links, noscript, ...look }
}

function isRoot(element: Element): boolean {
  return ROOTS.test(attribute(element, 'id')) || element.name === 'app-root'
}

const NOT_SHOWN = new Set(['script', 'style', 'noscript', 'template', 'svg'])

function hasShownText(element: Element): boolean {
  return element.children.some((child) =>
    isText(child) ? child.data.trim() !== '' : isElement(child) && !NOT_SHOWN.has(child.name) && hasShownText(child),
  )
}

const MAX_DEPTH = 8

function isPaid(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.some((item) => isPaid(item, depth + 1))
  if (!isObject(value)) return false
  if (/^false$/i.test(String(value.isAccessibleForFree))) return true
  return Object.values(value).some((item) => isPaid(item, depth + 1))
}

const NEEDS_SCRIPTS =
  /(?:enable|turn on|activate|allow|requires?|needs?|without|disabled|support)[^.]{0,60}\bjava\s?script|\bjava\s?script\b[^.]{0,60}(?:enable|required|needed|disabled|turned off|not supported|to run|to work|to view|to continue)/i
/** All that a heading says, but for the name of a site: others ask why something was not found. */
const NOT_FOUND =
  /^(?:error\s*)?404\b|\b404\b.{0,20}(?:error|not found)|^(?:(?:sorry|oops|whoops|error|we(?:[’']re| are) sorry)\b[^\p{L}\p{N}]*)?(?:(?:but )?(?:the|this|that|your|requested) ){0,3}(?:page|file|document|article|product|resource|site|content)\b.{0,40}(?:not found|(?:does|could)(?:n[’']t| not) (?:exist|be found)|no longer (?:exists|available)|can(?:[’']t|not) be found)|^(?:page |sorry, )?not found$|we can(?:[’']t|not) find (?:the|that|this) page|seite nicht gefunden|page introuvable|página no encontrada/iu
const GATED =
  /subscri\w{1,12} to (?:continue|read|unlock|keep)|(?:log|sign) in to (?:continue|read)|to continue reading|already a subscriber|this (?:article|content|story) is (?:for|only|reserved)|unlock this (?:article|story)/i
const SHORT_PAGE = 3000
/** With more, a login form stands beside the page, not in place of it; the headings tell. */
const LITTLE_TEXT = 200
const LOGIN =
  /\b(?:log|sign) ?in\b|\blogin\b|\bsign ?on\b|authenticat|anmelde|connexion|iniciar sesi|로그인|تسجيل الدخول/i
const FIRST_BLOCKS = 3
const SHORT_HEAD = 80

export function evidenceOf(page: {
  html: string
  look: FirstLook
  facts: PageFacts
  blocks: readonly Block[]
  contentChars: number
  isFromState: boolean
}): Evidence {
  const seen = page.blocks.filter(({ isHidden }) => !isHidden)
  const textChars = seen.reduce((sum, { text }) => sum + text.length, 0)
  const isShort = textChars < SHORT_PAGE
  const text = isShort ? seen.map((block) => block.text).join('\n') : ''
  const heads = [
    page.facts.title,
    ...seen.filter(({ element }) => /^h[12]$/.test(element.name)).map((block) => block.text),
  ]
  return {
    htmlChars: page.html.length,
    textChars,
    contentChars: page.contentChars,
    scripts: page.look.scripts,
    hasEmptyRoot: page.look.hasEmptyRoot,
    asksForScripts: NEEDS_SCRIPTS.test(page.look.noscript) || NEEDS_SCRIPTS.test(text.slice(0, 1500)),
    isFromState: page.isFromState,
    challenge: challengeIn({
      html: page.html,
      textChars,
      links: page.look.links,
      beginning: [page.facts.title, ...seen.slice(0, FIRST_BLOCKS).map((block) => block.text)].join('\n').slice(0, 600),
      scripts: page.look.scripts,
    }),
    hasLoginForm: page.look.hasLoginForm && (textChars < LITTLE_TEXT || heads.some((head) => LOGIN.test(head))),
    hasPaywall:
      page.look.isPaid ||
      (page.look.hasPaywallMark &&
        (isShort || seen.some((block) => block.text.length < 400 && GATED.test(block.text)))),
    saysNotFound: isShort && heads.slice(0, 4).some((head) => head.length < SHORT_HEAD && NOT_FOUND.test(head.trim())),
    alternates: page.facts.alternates,
    refreshTo: page.facts.refreshTo,
  }
}
