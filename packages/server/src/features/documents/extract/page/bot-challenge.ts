// Detects a bot check that is shown in place of the requested page.

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
    name: 'a bot check',
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

export interface BotChallengeInput {
  readonly html: string
  readonly textChars: number
  readonly linkCount: number
  /** The title and the first blocks. */
  readonly beginning: string
  readonly scriptCount: number
}

/** The vendor of the bot check; '' for none. */
export function detectBotChallenge({ html, textChars, linkCount, beginning, scriptCount }: BotChallengeInput): string {
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
