// Views of the extension MCP Apps: what tools and resources declare about them, for clients that show HTML of servers
// inside the chat, and who may see it. Used by tool.ts, resource.ts, the registries and the method handlers. Pure.

export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'

/** The media type of a view. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app'

/** Whether a resource is for views: their HTML, or data that they read. Others do not see it. */
export function isViewUri(uri: string): boolean {
  return uri.startsWith('ui://')
}

/** Whether only views may call a tool. */
export function isForViewsOnly({ ui }: { readonly ui?: ToolUi | undefined }): boolean {
  return ui?.visibility?.includes('model') === false
}

/** The view of a tool. Sent only to clients that declare the extension. */
export interface ToolUi {
  /** URI of the resource with the HTML, such as `ui://clock/face`. */
  readonly resourceUri?: string
  /**
   * The callers of the tool. Default: the model and views. A tool for views only is listed for clients with the extension,
   * and its results carry no messages for the model.
   */
  readonly visibility?: readonly ('model' | 'app')[]
}

/** Properties of a view for the client that shows it. */
export interface ResourceUi {
  /** Origins that the view may use besides its own HTML. Default: none. */
  readonly csp?: {
    readonly connectDomains?: readonly string[]
    readonly resourceDomains?: readonly string[]
    readonly frameDomains?: readonly string[]
    readonly baseUriDomains?: readonly string[]
  }
  readonly permissions?: {
    readonly camera?: object
    readonly microphone?: object
    readonly geolocation?: object
    readonly clipboardWrite?: object
  }
  /** The origin that the client gives the view; its form depends on the client. */
  readonly domain?: string
  /** Whether the client draws a border and a background around the view. */
  readonly prefersBorder?: boolean
}
