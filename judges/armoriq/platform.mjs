// A stand-in on the loopback for the hosted side of ArmorIQ: it hands out tokens for plans, and its proxy forwards an
// invocation to the MCP server as tools/call and pipes back what it got, as documented for the real one.
import { createServer } from 'node:http'

/** @param server the MCP server, `{ url, token }`; resolves to `{ url, invocations, close }` */
export async function openPlatform({ url, token }) {
  const invocations = []
  const routes = {
    'GET /health': (response) => reply(response, { status: 'ok' }),
    'POST /iap/sdk/token': (response, { plan }) =>
      reply(response, {
        success: true,
        plan_id: 'plan-1',
        plan_hash: 'f'.repeat(64),
        merkle_root: 'e'.repeat(64),
        intent_reference: 'intent-1',
        token: {},
        step_proofs: plan.steps.map(() => ['d'.repeat(64)]),
      }),
    async 'POST /invoke'(response, body) {
      invocations.push(body)
      const upstream = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: invocations.length,
          method: 'tools/call',
          params: { name: body.tool, arguments: body.arguments },
        }),
      })
      response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') })
      for await (const chunk of upstream.body ?? []) response.write(chunk)
      response.end()
    },
  }
  const serve = async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const route = routes[`${request.method} ${request.url}`]
    if (route) await route(response, body && JSON.parse(body))
    else response.writeHead(404).end()
  }
  const http = createServer((request, response) => void serve(request, response))
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${http.address().port}`,
    invocations,
    close() {
      http.closeAllConnections()
      http.close()
    },
  }
}

const reply = (response, value) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
