// A wire between a client and a server that can be cut: bytes go through as they are until `cut` breaks every
// connection, as a failing network does. New connections work again at once.
import { connect, createServer } from 'node:net'

/** @param url the server's; resolves to `{ url, cut, close }`, where `url` leads through the relay */
export async function openRelay(url) {
  const target = new URL(url)
  const open = new Set()
  const relay = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  await new Promise((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.port = String(relay.address().port)
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return {
    url: through.href,
    cut,
    close() {
      cut()
      relay.close()
    },
  }
}
