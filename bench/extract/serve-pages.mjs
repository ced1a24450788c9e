// Serves the pages of the set on loopback, each under a path that begins with its id and ends like its own.

import { createServer } from 'node:http'

export async function servePages(readPage) {
  const server = createServer((request, response) => {
    const [, id] = /^\/page-(\w+)\//.exec(request.url ?? '') ?? []
    if (id === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(readPage(id).bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${server.address().port}`
  return {
    host,
    addressOf({ id, url }) {
      const { pathname, search } = new URL(url)
      return `http://${host}/page-${id}${pathname}${search}`
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}
