// A page of one form, on a port of the loopback interface, where a user enters the password that a command asks for. Its
// address has a random key, is given to the user's client only, and works until the question is settled. Opened by
// secret-service for a client that can show addresses. Opens a port; it does not keep the process alive.

import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 16 * 1024
const REQUEST_MS = 10_000

/** What the form shows, and what becomes of the answer. */
export interface SecretForm {
  readonly command: string
  readonly prompt: string
  readonly isSecret: boolean
  /** Undefined: the user refuses. Throws an error with a sentence if the value cannot be used. */
  readonly onAnswer: (value: string | undefined) => void
}

export interface SecretPages {
  /** Resolves to the address of the form. It is gone once `remove` was called. */
  add(form: SecretForm): Promise<{ readonly url: string; readonly remove: () => void }>
  close(): void
}

export function createSecretPages(): SecretPages {
  const forms = new Map<string, SecretForm>()
  let listening: Promise<number> | undefined
  const server = createServer((request, response) => {
    // Rejects if the browser leaves in the middle of a request.
    serve(request, response).catch(() => response.destroy())
  })
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = REQUEST_MS
  server.keepAliveTimeout = 1
  server.unref()

  const listen = (): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, HOST, () => {
        const address = server.address()
        if (typeof address === 'object' && address) resolve(address.port)
        else reject(new Error('no port'))
      })
    })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const port = await listening
    // Another name for this address means that a page of another site has sent it.
    if (request.headers.host !== `${HOST}:${port}`) return send(response, 403, 'This address is not served here.')
    const form = forms.get((request.url ?? '').slice(1))
    if (!form) return send(response, 410, GONE)
    if (request.method === 'GET') return sendHtml(response, 200, renderForm(form))
    if (request.method !== 'POST') return send(response, 405, 'Only GET and POST are possible here.')
    const fields = await readFields(request)
    if (!fields) return send(response, 413, 'The answer is too long.')
    accept(form, fields, response)
  }

  return {
    async add(form) {
      const port = await (listening ??= listen())
      const key = randomBytes(32).toString('base64url')
      forms.set(key, form)
      return { url: `http://${HOST}:${port}/${key}`, remove: () => void forms.delete(key) }
    },
    close() {
      forms.clear()
      server.close()
      server.closeAllConnections()
    },
  }
}

function accept(form: SecretForm, fields: URLSearchParams, response: ServerResponse): void {
  const isRefused = fields.has('refuse')
  try {
    form.onAnswer(isRefused ? undefined : (fields.get('value') ?? ''))
  } catch (error) {
    return sendHtml(response, 400, renderForm(form, error instanceof Error ? error.message : GONE))
  }
  send(response, 200, isRefused ? 'Refused; the command is told. You can close this page.' : SENT)
}

const SENT = 'Sent to the command. You can close this page.'
const GONE = 'This question is no longer open: the command has ended, or it was answered. You can close this page.'

/** Undefined if there is too much. */
async function readFields(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}',
  'pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;border:1px solid #8886;border-radius:6px}',
  'label{display:block;white-space:pre-wrap;overflow-wrap:anywhere}',
  'input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;margin:.5rem 0 1rem}',
  'button{font:inherit;padding:.5rem 1rem;margin-inline-end:.5rem}',
].join('')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

function send(response: ServerResponse, status: number, sentence: string): void {
  sendHtml(response, status, renderPage(`<p role="status">${escapeHtml(sentence)}</p>`))
}

function sendHtml(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, HEADERS)
  response.end(html)
}

function renderForm({ command, prompt, isSecret }: SecretForm, problem?: string): string {
  const parts = [
    `<h1>A running command asks for ${isSecret ? 'a password' : 'an input'}</h1>`,
    `<pre>${escapeHtml(command)}</pre>`,
    ...(problem === undefined ? [] : [`<p role="alert">${escapeHtml(problem)}</p>`]),
    '<form method="post" autocomplete="off">',
    `<label for="value">${escapeHtml(prompt)}</label>`,
    `<input id="value" name="value" type="${isSecret ? 'password' : 'text'}" autocomplete="off" autofocus>`,
    '<button>Send to the command</button><button name="refuse" value="1" formnovalidate>Refuse</button>',
    '</form>',
    '<p>Only this command gets it. It is not stored, and the model does not see it.</p>',
  ]
  return renderPage(parts.join('\n'))
}

function renderPage(body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>scorpiox-code</title><style>${STYLE}</style></head>
<body>${body}</body></html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
