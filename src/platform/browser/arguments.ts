// What a browser is started with: no network of its own, no trace of the person, nothing in the background. Pages get the
// proxy when they are opened; whatever the browser itself would like to tell its maker goes nowhere.

export interface Circumstances {
  /** The folder for everything it writes. */
  readonly profile: string
  /** Where the proxy is that pages are given. */
  readonly proxyHost: string
  /** Chromium's own; it cannot be had as root or where the system keeps user namespaces from it. */
  readonly isSandboxed: boolean
}

export function browserArguments({ profile, proxyHost, isSandboxed }: Circumstances): readonly string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...networkArguments(proxyHost),
    ...QUIET,
    ...LEAN,
    ...(isSandboxed ? [] : ['--no-sandbox']),
    'about:blank',
  ]
}

/** Without it, whatever is called localhost would be reached past the proxy. */
export const NO_BYPASS = '<-loopback>'

function networkArguments(proxyHost: string): readonly string[] {
  return [
    '--proxy-server=http://nowhere.invalid:1',
    `--proxy-bypass-list=${NO_BYPASS}`,
    // What would go past it all the same, such as the prefetching of names, finds no address.
    `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${proxyHost}`,
    // A headless shell knows it by the one name, Chrome by the other.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--dns-prefetch-disable',
  ]
}

/** Nothing is fetched, updated, asked, kept or shown that no page asked for. */
const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--no-service-autorun',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-infobars',
  '--disable-notifications',
  '--disable-print-preview',
  '--disable-prompt-on-repost',
  '--disable-search-engine-choice-screen',
  '--disable-speech-api',
  '--disable-sync',
  '--deny-permission-prompts',
  '--block-new-web-contents',
  '--mute-audio',
  '--password-store=basic',
  '--use-mock-keychain',
  '--metrics-recording-only',
  '--google-base-url=https://nowhere.invalid/',
  '--autoplay-policy=user-gesture-required',
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,' +
    'CertificateTransparencyComponentUpdater,AutofillServerCommunication,GlobalMediaControls,HttpsUpgrades,' +
    'PreconnectToSearch,PreconnectFromKeyedService,LoadingPredictorUseOptimizationGuide,PaintHolding,Prerender2,SpeculationRulesPrefetchFuture',
]

/** What only eyes would see is neither fetched nor drawn, and a page that is not looked at runs no slower. */
const LEAN = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--hide-scrollbars',
  '--window-size=1280,1600',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-back-forward-cache',
  '--disable-hang-monitor',
  '--js-flags=--max-old-space-size=512',
]
