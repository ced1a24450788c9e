// Collects signals of bot checks, login forms, paywalls, missing pages and script shells, by which classify-page.ts
// classifies a page. Used by read-html. Pure.

import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { TextBlock } from '../classify/blocks.js'
import { type DomElement, getAttribute, isElement, isTextNode, singleLineText } from '../dom/tree.js'
import type { PageSignals } from '../extract-types.js'
import type { PageMetadata } from './page-metadata.js'

/** Signals of the markup, read before scripts and other elements are removed. */
export interface MarkupSignals {
  readonly scriptCount: number
  readonly linkCount: number
  readonly hasEmptyRoot: boolean
  readonly noscript: string
  readonly hasLoginForm: boolean
  readonly hasPaywallClass: boolean
  /** Its structured data declares that access is not free. */
  readonly isDeclaredPaid: boolean
}

const APP_ROOT_IDS =
  /^(?:root|app|__next|__nuxt|___gatsby|q-app|svelte|main-app|react-root|ember-app|app-root|mount|container-app)$/i
const PAYWALL_CLASSES =
  /(?:^|[\s_-])(?:paywall|pay-wall|piano-offer|tp-modal|subscriber-only|premium-content-wall|regwall|meteredContent|gateway-content)(?:$|[\s_-])/i

export function detectMarkupSignals(elements: readonly DomElement[], jsonLd: readonly unknown[]): MarkupSignals {
  let scriptCount = 0
  let linkCount = 0
  let noscript = ''
  let hasEmptyRoot = false
  let hasLoginForm = false
  let hasPaywallClass = false
  for (const element of elements) {
    if (element.name === 'script') scriptCount++
    else if (element.name === 'a') linkCount++
    else if (element.name === 'noscript') noscript += ` ${singleLineText(element).slice(0, 2000)}`
    else if (element.name === 'input') hasLoginForm ||= getAttribute(element, 'type').toLowerCase() === 'password'
    else {
      hasEmptyRoot ||= isAppRoot(element) && !hasVisibleText(element)
      hasPaywallClass ||=
        PAYWALL_CLASSES.test(getAttribute(element, 'class')) || PAYWALL_CLASSES.test(getAttribute(element, 'id'))
    }
  }
  return {
    scriptCount,
    linkCount,
    hasEmptyRoot,
    noscript,
    hasLoginForm,
    hasPaywallClass,
    isDeclaredPaid: isDeclaredPaid(jsonLd, 0),
  }
}

function isAppRoot(element: DomElement): boolean {
  return APP_ROOT_IDS.test(getAttribute(element, 'id')) || element.name === 'app-root'
}

const INVISIBLE_TAGS = new Set(['script', 'style', 'noscript', 'template', 'svg'])

function hasVisibleText(element: DomElement): boolean {
  return element.children.some((child) =>
    isTextNode(child)
      ? child.data.trim() !== ''
      : isElement(child) && !INVISIBLE_TAGS.has(child.name) && hasVisibleText(child),
  )
}

const MAX_DEPTH = 8

function isDeclaredPaid(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.some((item) => isDeclaredPaid(item, depth + 1))
  if (!isJsonObject(value)) return false
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

interface SignalSources {
  readonly html: string
  readonly markupSignals: MarkupSignals
  readonly metadata: PageMetadata
  readonly blocks: readonly TextBlock[]
  readonly contentChars: number
  readonly isFromEmbeddedData: boolean
}

export function collectSignals(page: SignalSources): PageSignals {
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
    scriptCount: page.markupSignals.scriptCount,
    hasEmptyRoot: page.markupSignals.hasEmptyRoot,
    saysScriptsRequired:
      SCRIPTS_REQUIRED_TEXT.test(page.markupSignals.noscript) || SCRIPTS_REQUIRED_TEXT.test(text.slice(0, 1500)),
    isFromEmbeddedData: page.isFromEmbeddedData,
    challenge: detectBotChallenge({
      html: page.html,
      textChars,
      linkCount: page.markupSignals.linkCount,
      beginning: [page.metadata.title, ...visible.slice(0, OPENING_BLOCKS).map((block) => block.text)]
        .join('\n')
        .slice(0, 600),
      scriptCount: page.markupSignals.scriptCount,
    }),
    hasLoginForm:
      page.markupSignals.hasLoginForm &&
      (textChars < MAX_LOGIN_PAGE_CHARS || headings.some((heading) => LOGIN_TEXT.test(heading))),
    hasPaywall:
      page.markupSignals.isDeclaredPaid ||
      (page.markupSignals.hasPaywallClass &&
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

interface ChallengeSignature {
  readonly name: string
  readonly pattern: RegExp
  /** Also found on readable pages: counts only if the text reads like a bot check. */
  readonly isAlsoOnNormalPages?: boolean
  /** Matches visible text, which other pages may quote. */
  readonly isTextOnly?: boolean
}

const SIGNATURES: readonly ChallengeSignature[] = [
  {
    name: 'Cloudflare',
    pattern:
      /_cf_chl_opt|cf-browser-verification|cf_chl_prog|id="challenge-(?:form|running|error-text)"|<title>(?:Just a moment\.\.\.|Attention Required! \| Cloudflare)/i,
  },
  {
    name: 'Cloudflare',
    pattern: /challenges\.cloudflare\.com\/turnstile|\/cdn-cgi\/challenge-platform\//i,
    isAlsoOnNormalPages: true,
  },
  {
    name: 'DDoS-Guard',
    pattern: /<title>DDoS-Guard|check\.ddos-guard\.net|\/\.well-known\/ddos-guard\/(?:js-challenge|check)/i,
  },
  {
    name: 'Akamai',
    pattern: /<title>Access Denied<\/title>[^]{0,2000}(?:errors\.edgesuite\.net|Reference\s*(?:&#35;|#)\d)/i,
  },
  { name: 'Akamai', pattern: /sec-if-cpt-container|_sec\/cp_challenge|bm-verify=/i, isAlsoOnNormalPages: true },
  {
    name: 'HUMAN (PerimeterX)',
    pattern: /id="px-captcha"|px-captcha-(?:container|wrapper)|Access to this page has been denied/i,
  },
  { name: 'HUMAN (PerimeterX)', pattern: /captcha\.px-cdn\.net|window\._pxAppId/i, isAlsoOnNormalPages: true },
  { name: 'DataDome', pattern: /geo\.captcha-delivery\.com|ct\.captcha-delivery\.com|var dd\s*=\s*\{\s*'rt'/i },
  {
    name: 'Imperva',
    pattern: /_Incapsula_Resource[^]{0,400}(?:incident|SWUDNSAI)|Request unsuccessful\. Incapsula incident/i,
  },
  { name: 'Imperva', pattern: /_Incapsula_Resource|Pardon Our Interruption/i, isAlsoOnNormalPages: true },
  {
    name: 'AWS WAF',
    pattern:
      /awswaf\.com\/[^"']{0,300}challenge\.js|AwsWafIntegration\.(?:getToken|checkForceRefresh)|window\.gokuProps/i,
  },
  { name: 'Sucuri', pattern: /sucuri_cloudproxy_js|<title>Sucuri WebSite Firewall/i },
  { name: 'Kasada', pattern: /ips\.js\?KP_UIDz|window\.KPSDK/i, isAlsoOnNormalPages: true },
  { name: 'Anubis', pattern: /id="anubis_challenge"|\.within\.website\/x\/cmd\/anubis/i },
  { name: 'Vercel', pattern: /<title>Vercel Security Checkpoint/i },
  { name: 'DuckDuckGo', pattern: /class="anomaly-modal/i },
  { name: 'hCaptcha', pattern: /hcaptcha\.com\/1\/api\.js|class="h-captcha/i, isAlsoOnNormalPages: true },
  { name: 'reCAPTCHA', pattern: /google\.com\/recaptcha\/|class="g-recaptcha/i, isAlsoOnNormalPages: true },
  {
    name: 'unknown vendor',
    pattern:
      /(?:verify(?:ing)?|confirm|prove) (?:that )?you(?:'re| are) (?:a )?(?:human|not a (?:ro)?bot)|checking your browser before|unusual traffic from your (?:computer )?network|are you a robot\?|press (?:&|and) hold to confirm/i,
    isAlsoOnNormalPages: true,
    isTextOnly: true,
  },
]

/** A bot check has little text and few links; a page that mentions one, or protects a form with one, has more. */
const MAX_CHALLENGE_CHARS = 1200
const MAX_CHALLENGE_LINKS = 6
/** With less text, the signature alone is sufficient. */
const MAX_CERTAIN_CHARS = 200
const SCAN_CHARS = 400_000
const CHALLENGE_TEXT =
  /\b(?:human|robot|bot|captcha|unusual traffic|(?:checking|verif\w+|security check)\b[^.]{0,40}\b(?:browser|connection|you)|access (?:to this page has been )?denied|you have been blocked|pardon our interruption|security (?:check|service)|automat(?:ed|ion))\b/i

interface BotChallengeInput {
  readonly html: string
  readonly textChars: number
  readonly linkCount: number
  /** The title and the first blocks. */
  readonly beginning: string
  readonly scriptCount: number
}

/** Detects a bot check that is shown in place of the requested page. Returns its vendor; '' for none. */
function detectBotChallenge({ html, textChars, linkCount, beginning, scriptCount }: BotChallengeInput): string {
  if (textChars > MAX_CHALLENGE_CHARS || linkCount > MAX_CHALLENGE_LINKS) return ''
  const scanned = html.slice(0, SCAN_CHARS)
  const readsLikeChallenge = textChars < MAX_CERTAIN_CHARS || CHALLENGE_TEXT.test(beginning)
  const signature = SIGNATURES.find(({ pattern }) => pattern.test(scanned))
  if (signature === undefined || (signature.isAlsoOnNormalPages === true && !readsLikeChallenge)) return ''
  // Text alone is not sufficient on a page without scripts or with more text.
  return signature.isTextOnly === true &&
    (scriptCount === 0 || textChars > MAX_CERTAIN_CHARS * 3) &&
    textChars >= MAX_CERTAIN_CHARS
    ? ''
    : signature.name
}
