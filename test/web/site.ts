// A small site on loopback with configurable behaviour, which counts its requests.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { call, startServer, type TestClient, type ToolResult } from '../support/client.js'

export type Route = string | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Site {
  readonly host: string
  readonly origin: string
  /** The requests, in order. */
  readonly requests: readonly IncomingMessage[]
  /** The number of requests for a path. */
  hits(path: string): number
  add(path: string, route: Route): string
  close(): Promise<void>
}

/** A route that is a string is an HTML page. */
export async function openSite(): Promise<Site> {
  const routes = new Map<string, Route>()
  const requests: IncomingMessage[] = []
  const answer: RequestListener = (request, response) => {
    requests.push(request)
    const route = routes.get((request.url ?? '').split('?')[0] ?? '')
    if (route === undefined) send(response, 404, 'text/plain', 'nothing here')
    else if (typeof route === 'string') send(response, 200, 'text/html; charset=utf-8', route)
    else route(request, response)
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return {
    host: `127.0.0.1:${port}`,
    origin,
    requests,
    hits: (path) => requests.filter(({ url }) => url === path).length,
    add(path, route) {
      routes.set(path, route)
      return `${origin}${path}`
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': type, ...headers }).end(body)
}

export async function openReader(site: Pick<Site, 'host'>, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
  const client = startServer({ env: { FETCH_ALLOW: site.host, BROWSER_PATH: 'off', ...env } })
  await client.initialize('2025-11-25')
  return client
}

export const readDocs = (client: TestClient, url: string, more: object = {}): Promise<ToolResult> =>
  call(client, 'ReadDocs', { url, ...more })

/** The text between the two lines with the marker, without the URL and the outline before it. */
export function quoted(result: ToolResult): string {
  return fenced(result).replace(/^(?:URL: [^]*?\n\n)?(?:Title: .*\n)?(?:Outline:\n[^]*?\n\nText:\n)?/, '')
}

/** Everything between the two lines; there is one such quotation. */
export function fenced({ text }: ToolResult): string {
  const all = [
    ...text.matchAll(/^--- untrusted content; ends at marker ([0-9a-f]{16}) ---\n([^]*?)\n--- \1 end ---$/gm),
  ]
  const [only] = all
  if (!only || all.length > 1) throw new Error(`there are ${all.length} quotations in: ${text}`)
  return only[2] ?? ''
}

const SENTENCE = 'The lighthouse keeper wrote down the weather every evening, and the harbour read it in the morning.'

/** A page with enough text to be readable. */
export function article(title: string, more = '', paragraphs = 12): string {
  const body = Array.from({ length: paragraphs }, (_, at) => `<p>Entry ${at + 1}: ${SENTENCE}</p>`).join('\n')
  return page(title, `<main><article><h1>${title}</h1>\n${body}\n${more}</article></main>`)
}

export function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`
}
