// The page of the host: shows a view in a frame through AppBridge of ext-apps, and passes its requests on to the judge, which
// has the connection to the server. Bundled for the browser by open-host.mjs.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

const CAPABILITIES = { serverTools: {}, serverResources: {}, openLinks: {}, message: { text: {} } }

/** Called by the judge. */
window.host = { open, bridge: undefined, sizes: [], messages: [], links: [] }

async function open({ html, csp, context, capabilities = CAPABILITIES, sandbox }) {
  document.body.replaceChildren()
  document.body.classList.toggle('dark', context.theme === 'dark')
  const frame = document.createElement('iframe')
  frame.title = 'View'
  const bridge = new AppBridge(null, { name: 'judge', version: '1.0.0' }, capabilities, { hostContext: context })
  let isFullscreen = false
  const sizes = []
  const messages = []
  const links = []
  Object.assign(window.host, { bridge, sizes, messages, links })
  bridge.onsizechange = ({ width, height }) => {
    sizes.push({ width, height })
    if (!context.containerDimensions?.height && height && !isFullscreen) {
      frame.style.height = `${Math.min(height, context.containerDimensions?.maxHeight ?? Infinity)}px`
    }
  }
  bridge.oncalltool = (params) => window.request('tools/call', params)
  bridge.onreadresource = (params) => window.request('resources/read', params)
  bridge.onmessage = async ({ content }) => {
    messages.push(content.map(({ text }) => text).join(''))
    return {}
  }
  bridge.onopenlink = async ({ url }) => {
    links.push(url)
    return {}
  }
  bridge.onrequestdisplaymode = async ({ mode }) => {
    isFullscreen = mode === 'fullscreen'
    if (isFullscreen) frame.style.height = `${innerHeight}px`
    const containerDimensions = isFullscreen ? { height: innerHeight, width: innerWidth } : context.containerDimensions
    await bridge.sendHostContextChange({ displayMode: mode, containerDimensions })
    return { mode }
  }
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve
  })
  bridge.onsandboxready = () => {
    void bridge.sendSandboxResourceReady({ html, csp })
  }
  document.body.append(frame)
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.src = sandbox
  await initialized
}
