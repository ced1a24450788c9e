// Signs of a page that checks whether a person is there, in place of the page that was asked for.

interface Sign {
  readonly name: string
  readonly pattern: RegExp
  /** Also found on pages that can be read: it counts only where the page reads like a check. */
  readonly isCommon?: boolean
  /** Words of its text, which others may quote. */
  readonly isWords?: boolean
}

const SIGNS: readonly Sign[] = [
  {
    name: 'Cloudflare',
    pattern:
      /_cf_chl_opt|cf-browser-verification|cf_chl_prog|id="challenge-(?:form|running|error-text)"|<title>(?:Just a moment\.\.\.|Attention Required! \| Cloudflare)/i,
  },
  {
    name: 'Cloudflare',
    pattern: /challenges\.cloudflare\.com\/turnstile|\/cdn-cgi\/challenge-platform\//i,
    isCommon: true,
  },
  {
    name: 'DDoS-Guard',
    pattern: /<title>DDoS-Guard|check\.ddos-guard\.net|\/\.well-known\/ddos-guard\/(?:js-challenge|check)/i,
  },
  {
    name: 'Akamai',
    pattern: /<title>Access Denied<\/title>[^]{0,2000}(?:errors\.edgesuite\.net|Reference\s*(?:&#35;|#)\d)/i,
  },
  { name: 'Akamai', pattern: /sec-if-cpt-container|_sec\/cp_challenge|bm-verify=/i, isCommon: true },
  {
    name: 'HUMAN (PerimeterX)',
    pattern: /id="px-captcha"|px-captcha-(?:container|wrapper)|Access to this page has been denied/i,
  },
  { name: 'HUMAN (PerimeterX)', pattern: /captcha\.px-cdn\.net|window\._pxAppId/i, isCommon: true },
  { name: 'DataDome', pattern: /geo\.captcha-delivery\.com|ct\.captcha-delivery\.com|var dd\s*=\s*\{\s*'rt'/i },
  {
    name: 'Imperva',
    pattern: /_Incapsula_Resource[^]{0,400}(?:incident|SWUDNSAI)|Request unsuccessful\. Incapsula incident/i,
  },
  { name: 'Imperva', pattern: /_Incapsula_Resource|Pardon Our Interruption/i, isCommon: true },
  {
    name: 'AWS WAF',
    pattern:
      /awswaf\.com\/[^"']{0,300}challenge\.js|AwsWafIntegration\.(?:getToken|checkForceRefresh)|window\.gokuProps/i,
  },
  { name: 'Sucuri', pattern: /sucuri_cloudproxy_js|<title>Sucuri WebSite Firewall/i },
  { name: 'Kasada', pattern: /ips\.js\?KP_UIDz|window\.KPSDK/i, isCommon: true },
  { name: 'Anubis', pattern: /id="anubis_challenge"|\.within\.website\/x\/cmd\/anubis/i },
  { name: 'Vercel', pattern: /<title>Vercel Security Checkpoint/i },
  { name: 'DuckDuckGo', pattern: /class="anomaly-modal/i },
  { name: 'hCaptcha', pattern: /hcaptcha\.com\/1\/api\.js|class="h-captcha/i, isCommon: true },
  { name: 'reCAPTCHA', pattern: /google\.com\/recaptcha\/|class="g-recaptcha/i, isCommon: true },
  {
    name: 'a bot check',
    pattern:
      /(?:verify(?:ing)?|confirm|prove) (?:that )?you(?:'re| are) (?:a )?(?:human|not a (?:ro)?bot)|checking your browser before|unusual traffic from your (?:computer )?network|are you a robot\?|press (?:&|and) hold to confirm/i,
    isCommon: true,
    isWords: true,
  },
]

/** A check says little and leads nowhere; a page that mentions one, or guards a form with one, has more text or links. */
const MAX_TEXT = 1200
const MAX_LINKS = 6
/** With so little text, the sign alone is enough. */
const HARDLY_ANY = 200
const LOOKED_AT = 400_000
const CHECK_WORDS =
  /\b(?:human|robot|bot|captcha|unusual traffic|(?:checking|verif\w+|security check)\b[^.]{0,40}\b(?:browser|connection|you)|access (?:to this page has been )?denied|you have been blocked|pardon our interruption|security (?:check|service)|automat(?:ed|ion))\b/i

export interface ChallengeSource {
  readonly html: string
  readonly textChars: number
  readonly links: number
  /** Its title and its first blocks: a check begins with what it wants. */
  readonly beginning: string
  readonly scripts: number
}

/** Whose check it is; '' none. */
export function challengeIn({ html, textChars, links, beginning, scripts }: ChallengeSource): string {
  if (textChars > MAX_TEXT || links > MAX_LINKS) return ''
  const page = html.slice(0, LOOKED_AT)
  const isCheck = textChars < HARDLY_ANY || CHECK_WORDS.test(beginning)
  const found = SIGNS.find(({ pattern }) => pattern.test(page))
  if (found === undefined || (found.isCommon === true && !isCheck)) return ''
  // Words alone, on a page without scripts, are only words.
  return found.isWords === true && (scripts === 0 || textChars > HARDLY_ANY * 3) && textChars >= HARDLY_ANY
    ? ''
    : found.name
}
