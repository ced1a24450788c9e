// Builds the command-line flags of Chromium: no network access of its own, no user data, no background activity. Pages
// get the proxy when they are opened; requests of the browser itself reach nothing. Pure. Used by browser-process.

interface LaunchFlagOptions {
  /** The folder for everything it writes. */
  readonly profile: string
  /** The host of the proxy that pages use. */
  readonly proxyHost: string
  /** Chromium's own sandbox; not available as root or without user namespaces. */
  readonly isSandboxed: boolean
}

export function buildLaunchFlags({ profile, proxyHost, isSandboxed }: LaunchFlagOptions): readonly string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...networkFlags(proxyHost),
    ...BACKGROUND_FLAGS,
    ...RENDERING_FLAGS,
    ...(isSandboxed ? [] : ['--no-sandbox']),
    'about:blank',
  ]
}

/** Without it, requests to localhost would bypass the proxy. */
export const PROXY_BYPASS_NONE = '<-loopback>'

function networkFlags(proxyHost: string): readonly string[] {
  return [
    '--proxy-server=http://nowhere.invalid:1',
    `--proxy-bypass-list=${PROXY_BYPASS_NONE}`,
    // What would bypass the proxy anyway, such as DNS prefetching, resolves to nothing.
    `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${proxyHost}`,
    // The headless shell knows the first name, Chrome the second.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--dns-prefetch-disable',
  ]
}

/** Nothing is fetched, updated, asked, stored or shown that no page requested. */
const BACKGROUND_FLAGS = [
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

/** Nothing visual is rendered, and background pages are not slowed down. */
const RENDERING_FLAGS = [
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
