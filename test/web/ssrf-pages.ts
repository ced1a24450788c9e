// Ways in which a page makes a browser send a request. Each is named in the path, so that one page can try them all.

export interface Targets {
  /** The internal server, requested by this name. */
  readonly hit: (name: string) => string
  /** An allowed server that redirects there. */
  readonly viaRedirect: (name: string) => string
  readonly port: number
  readonly udpPort: number
}

export type Vector = readonly [name: string, make: (targets: Targets) => string]

/** Each reaches the internal server if it is allowed: this shows that it works. */
export const LIVE: readonly Vector[] = [
  ['fetch', script(({ hit }) => `fetch('${hit('fetch')}')`)],
  ['fetch-opaque', script(({ hit }) => `fetch('${hit('fetch-opaque')}', { mode: 'no-cors' })`)],
  ['fetch-post', script(({ hit }) => `fetch('${hit('fetch-post')}', { method: 'POST', body: 'x', mode: 'no-cors' })`)],
  ['fetch-keepalive', script(({ hit }) => `fetch('${hit('fetch-keepalive')}', { keepalive: true })`)],
  ['fetch-redirect', script(({ viaRedirect }) => `fetch('${viaRedirect('fetch-redirect')}')`)],
  [
    'fetch-redirect-opaque',
    script(({ viaRedirect }) => `fetch('${viaRedirect('fetch-redirect-opaque')}', { mode: 'no-cors' })`),
  ],
  ['xhr', script(({ hit }) => `let x = new XMLHttpRequest(); x.open('GET', '${hit('xhr')}'); x.send()`)],
  [
    'xhr-redirect',
    script(
      ({ viaRedirect }) => `let x = new XMLHttpRequest(); x.open('GET', '${viaRedirect('xhr-redirect')}'); x.send()`,
    ),
  ],
  ['beacon', script(({ hit }) => `navigator.sendBeacon('${hit('beacon')}', 'x')`)],
  ['beacon-redirect', script(({ viaRedirect }) => `navigator.sendBeacon('${viaRedirect('beacon-redirect')}')`)],
  ['event-source', script(({ hit }) => `new EventSource('${hit('event-source')}')`)],
  ['event-source-redirect', script(({ viaRedirect }) => `new EventSource('${viaRedirect('event-source-redirect')}')`)],
  ['websocket', script(({ hit }) => `new WebSocket('${hit('websocket').replace('http', 'ws')}')`)],
  ['script', ({ hit }) => `<script src="${hit('script')}"></script>`],
  ['script-redirect', ({ viaRedirect }) => `<script src="${viaRedirect('script-redirect')}"></script>`],
  ['module-script', ({ hit }) => `<script type=module src="${hit('module-script')}"></script>`],
  ['dynamic-import', script(({ hit }) => `import('${hit('dynamic-import')}').catch(() => {})`)],
  [
    'script-added',
    script(
      ({ hit }) =>
        `document.head.append(Object.assign(document.createElement('script'), { src: '${hit('script-added')}' }))`,
    ),
  ],
  ['style', ({ hit }) => `<link rel=stylesheet href="${hit('style')}">`],
  ['style-redirect', ({ viaRedirect }) => `<link rel=stylesheet href="${viaRedirect('style-redirect')}">`],
  ['style-import', ({ hit }) => `<style>@import url("${hit('style-import')}");</style>`],
  ['iframe', ({ hit }) => `<iframe src="${hit('iframe')}"></iframe>`],
  ['iframe-redirect', ({ viaRedirect }) => `<iframe src="${viaRedirect('iframe-redirect')}"></iframe>`],
  ['iframe-srcdoc', ({ hit }) => `<iframe srcdoc="<script src='${hit('iframe-srcdoc-script')}'></script>"></iframe>`],
  [
    'iframe-data',
    ({ hit }) => `<iframe src="data:text/html,<script src='${hit('iframe-data-script')}'></script>"></iframe>`,
  ],
  [
    'iframe-blob',
    script(
      ({ hit }) =>
        `document.body.append(Object.assign(document.createElement('iframe'), { src: URL.createObjectURL(new Blob(['<script src="${hit('iframe-blob-script')}"><\\/script>'], { type: 'text/html' })) }))`,
    ),
  ],
  [
    'iframe-sandboxed',
    ({ hit }) =>
      `<iframe sandbox=allow-scripts srcdoc="<script>fetch('${hit('iframe-sandboxed')}', {mode:'no-cors'})</script>"></iframe>`,
  ],
  ['object', ({ hit }) => `<object data="${hit('object')}" type="text/html"></object>`],
  [
    'object-redirect',
    ({ viaRedirect }) => `<object data="${viaRedirect('object-redirect')}" type="text/html"></object>`,
  ],
  ['embed', ({ hit }) => `<embed src="${hit('embed')}" type="text/html">`],
  [
    'form',
    ({ hit }) =>
      `<iframe name=f1></iframe><form id=f1f target=f1 action="${hit('form')}"></form><script>f1f.submit()</script>`,
  ],
  [
    'form-post',
    ({ hit }) =>
      `<iframe name=f2></iframe><form id=f2f method=post target=f2 action="${hit('form-post')}"></form><script>f2f.submit()</script>`,
  ],
  ['worker-fetch', script(({ hit }) => inWorker(`fetch('${hit('worker-fetch')}')`))],
  ['worker-import', script(({ hit }) => inWorker(`importScripts('${hit('worker-import')}')`))],
  [
    'worker-module',
    script(
      ({ hit }) =>
        `new Worker(URL.createObjectURL(new Blob(["import '${hit('worker-module')}'"], { type: 'text/javascript' })), { type: 'module' })`,
    ),
  ],
  [
    'worker-websocket',
    script(({ hit }) => inWorker(`new WebSocket('${hit('worker-websocket').replace('http', 'ws')}')`)),
  ],
  [
    'shared-worker',
    script(
      ({ hit }) =>
        `new SharedWorker(URL.createObjectURL(new Blob(["fetch('${hit('shared-worker')}')"], { type: 'text/javascript' })))`,
    ),
  ],
  ['preload', ({ hit }) => `<link rel=preload as=script href="${hit('preload-script')}">`],
  ['module-preload', ({ hit }) => `<link rel=modulepreload href="${hit('module-preload')}">`],
  ['localhost', script(({ hit }) => `fetch('${hit('localhost').replace('127.0.0.1', 'localhost')}')`)],
  ['number', script(({ hit }) => `fetch('${hit('number').replace('127.0.0.1', '2130706433')}')`)],
  ['short', script(({ hit }) => `fetch('${hit('short').replace('127.0.0.1', '0x7f.1')}')`)],
  [
    'upgrade-by-name',
    script(
      ({ hit }) => `new WebSocket('${hit('upgrade-by-name').replace('http', 'ws').replace('127.0.0.1', 'localhost')}')`,
    ),
  ],
]

/** Disabled in this browser or not observable by the server: they must not reach it either. */
export const QUIET: readonly Vector[] = [
  [
    'img',
    ({ hit }) =>
      `<img src="${hit('img')}"><img srcset="${hit('srcset')} 1x"><picture><source srcset="${hit('picture')}"><img></picture>`,
  ],
  ['img-redirect', ({ viaRedirect }) => `<img src="${viaRedirect('img-redirect')}">`],
  ['image-object', script(({ hit }) => `new Image().src = '${hit('image-object')}'`)],
  ['input-image', ({ hit }) => `<input type=image src="${hit('input-image')}">`],
  ['svg', ({ hit }) => `<svg><image href="${hit('svg')}"/><use href="${hit('svg-use')}#a"/></svg>`],
  ['video', ({ hit }) => `<video src="${hit('video')}" poster="${hit('poster')}" preload=auto autoplay muted></video>`],
  [
    'audio',
    ({ hit }) =>
      `<audio src="${hit('audio')}" preload=auto></audio><video><track src="${hit('track')}" default></video>`,
  ],
  ['video-redirect', ({ viaRedirect }) => `<video src="${viaRedirect('video-redirect')}" preload=auto></video>`],
  [
    'font',
    ({ hit }) => `<style>@font-face { font-family: f; src: url("${hit('font')}") } body { font-family: f }</style>`,
  ],
  [
    'background',
    ({ hit }) =>
      `<style>body { background: url("${hit('background')}"); cursor: url("${hit('cursor')}"), auto }</style>`,
  ],
  [
    'prefetch',
    ({ hit }) => `<link rel=prefetch href="${hit('prefetch')}"><link rel=prerender href="${hit('prerender')}">`,
  ],
  ['preconnect', ({ hit }) => `<link rel=preconnect href="${hit('')}"><link rel=dns-prefetch href="${hit('')}">`],
  ['icon', ({ hit }) => `<link rel=icon href="${hit('icon')}"><link rel=manifest href="${hit('manifest')}">`],
  [
    'speculation',
    ({ hit }) =>
      `<script type=speculationrules>{"prerender":[{"urls":["${hit('speculation')}"]}],"prefetch":[{"urls":["${hit('speculation2')}"]}]}</script>`,
  ],
  ['ping', ({ hit }) => `<a id=ping href="#x" ping="${hit('ping')}">x</a><script>ping.click()</script>`],
  ['service-worker', script(() => `navigator.serviceWorker.register('/sw.js')`)],
  ['audio-worklet', script(({ hit }) => `new AudioContext().audioWorklet.addModule('${hit('audio-worklet-module')}')`)],
  ['paint-worklet', script(({ hit }) => `CSS.paintWorklet.addModule('${hit('paint-worklet-module')}')`)],
  ['web-transport', script(({ udpPort }) => `new WebTransport('https://127.0.0.1:${udpPort}/')`)],
  [
    'secure',
    script(
      ({ hit }) =>
        `fetch('${hit('secure').replace('http', 'https')}'); new WebSocket('${hit('secure').replace('http', 'wss')}')`,
    ),
  ],
  [
    'stun',
    script(
      ({ udpPort, port }) => `
    const pc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udpPort}' },
      { urls: ['turn:127.0.0.1:${port}?transport=tcp', 'turn:127.0.0.1:${udpPort}'], username: 'u', credential: 'p' }] })
    pc.createDataChannel('x'); pc.createOffer().then((offer) => pc.setLocalDescription(offer))`,
    ),
  ],
  [
    'candidate',
    script(
      ({ udpPort, port }) => `(async () => {
    const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()]
    a.createDataChannel('x'); await a.setLocalDescription(await a.createOffer()); await b.setRemoteDescription(a.localDescription)
    await b.setLocalDescription(await b.createAnswer()); await a.setRemoteDescription(b.localDescription)
    await a.addIceCandidate({ candidate: 'candidate:1 1 udp 2122260223 127.0.0.1 ${udpPort} typ host', sdpMid: '0' })
    await a.addIceCandidate({ candidate: 'candidate:2 1 tcp 1518280447 127.0.0.1 ${port} typ host tcptype passive', sdpMid: '0' })
  })()`,
    ),
  ],
  [
    'local-file',
    ({ hit }) =>
      `<iframe src="file:///etc/passwd"></iframe><script src="file:///etc/passwd"></script><a href="${hit('local')}"></a>`,
  ],
  [
    'chrome-page',
    () => `<iframe src="chrome://version"></iframe><iframe src="view-source:http://127.0.0.1/"></iframe>`,
  ],
  [
    'local-fetch',
    script(() => `fetch('file:///etc/passwd').then((a) => a.text()).then((t) => document.body.append(t))`),
  ],
  ['unspecified', script(({ hit }) => `fetch('${hit('unspecified').replace('127.0.0.1', '0.0.0.0')}')`)],
  ['loopback-6', script(({ hit }) => `fetch('${hit('loopback-6').replace('127.0.0.1', '[::1]')}')`)],
  ['mapped', script(({ hit }) => `fetch('${hit('mapped').replace('127.0.0.1', '[::ffff:127.0.0.1]')}')`)],
  ['subdomain', script(({ hit }) => `fetch('${hit('subdomain').replace('127.0.0.1', 'a.localhost')}')`)],
  ['name-inside', script(({ hit }) => `fetch('${hit('name-inside').replace('127.0.0.1', 'inside.example')}')`)],
  [
    'name-rebinding',
    script(
      ({ hit }) =>
        `fetch('${hit('name-rebinding').replace('127.0.0.1', 'rebind.example')}').catch(() => {}).then(() => fetch('${hit('name-rebinding').replace('127.0.0.1', 'rebind.example')}'))`,
    ),
  ],
  ['xslt', () => `<iframe src="/transformed.xml"></iframe>`],
  ['window-open', script(({ hit }) => `window.open('${hit('window-open')}')`)],
]

/** Pages that navigate the browser away. */
export const LEAVING: readonly Vector[] = [
  ['meta-refresh', ({ hit }) => `<meta http-equiv=refresh content="0;url=${hit('meta-refresh')}">`],
  ['location', script(({ hit }) => `location = '${hit('location')}'`)],
  ['location-replace', script(({ hit }) => `location.replace('${hit('location-replace')}')`)],
  ['location-late', script(({ hit }) => `setTimeout(() => location.assign('${hit('location-late')}'), 300)`)],
  ['form-top', ({ hit }) => `<form id=f action="${hit('form-top')}"></form><script>f.submit()</script>`],
  [
    'form-top-post',
    ({ hit }) =>
      `<form id=f method=post action="${hit('form-top-post')}"><input name=a value=b></form><script>f.submit()</script>`,
  ],
  ['click', ({ hit }) => `<a id=a href="${hit('click')}">x</a><script>a.click()</script>`],
  ['frame-to-top', ({ hit }) => `<iframe srcdoc="<script>top.location='${hit('frame-to-top')}'</script>"></iframe>`],
  ['download', ({ hit }) => `<a id=down href="${hit('download')}" download>x</a><script>down.click()</script>`],
  ['redirect-301', ({ hit }) => redirecting(301, hit('redirect-301'))],
  ['redirect-302', ({ hit }) => redirecting(302, hit('redirect-302'))],
  ['redirect-303', ({ hit }) => redirecting(303, hit('redirect-303'))],
  ['redirect-307', ({ hit }) => redirecting(307, hit('redirect-307'))],
  ['redirect-308', ({ hit }) => redirecting(308, hit('redirect-308'))],
  [
    'refresh-header',
    ({ hit }) => `<script>location = '/refresh?url=${encodeURIComponent(hit('refresh-header'))}'</script>`,
  ],
]

function redirecting(code: number, url: string): string {
  return `<script>location = '/to/${code}?url=${encodeURIComponent(url)}'</script>`
}

function script(make: (targets: Targets) => string): (targets: Targets) => string {
  return (targets) => `<script>{ ${make(targets)} }</script>`
}

function inWorker(code: string): string {
  return `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })))`
}
