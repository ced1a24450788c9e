// What is measured. Each probe starts a fresh server, `times` times by default; all but the first are for
// servers that run commands.

import { cpuMilliseconds, residentMebibytes } from '../lib/system.mjs'
import { endAll, pause, running, withServer } from './client.mjs'

export const START = { key: 'start', measure: start }

export const PROBES = [
  { key: 'failing', times: 1, measure: failing },
  { key: 'crowd', times: 5, measure: crowd },
  { key: 'flood', times: 3, measure: flood },
  { key: 'timeout', times: 1, measure: timeout },
  { key: 'cancel', times: 1, measure: cancel },
  { key: 'leaving', times: 1, measure: leaving },
]

function start(peer) {
  return withServer(peer, async ({ pid, startedAt, request }) => {
    const { result } = await request('tools/list', {})
    const ms = performance.now() - startedAt
    const cpuMs = cpuMilliseconds(pid)
    await pause(1000)
    return {
      startMs: ms,
      cpuMs,
      tools: result.tools.length,
      listBytes: Buffer.byteLength(JSON.stringify(result.tools)),
      outputSchemas: result.tools.filter(({ outputSchema }) => outputSchema !== undefined).length,
      idleMiB: residentMebibytes(pid),
    }
  })
}

function failing(peer) {
  return withServer(peer, async ({ call }) => {
    const { isError, text } = await call(peer.shell('echo hi; exit 43'))
    return { failureMarked: isError, exitCodeShown: /\b43\b/.test(text) }
  })
}

/** Commands that end in the same moment: does each answer hold what its command printed? */
function crowd(peer) {
  return withServer(peer, async ({ call }) => {
    const answers = Array.from({ length: 20 }, async (_, index) => {
      const { text } = await call(peer.shell(`sleep 1; echo done-$((1000 + ${index}))`))
      return text.includes(`done-${1000 + index}`)
    })
    return { crowdRight: (await Promise.all(answers)).filter(Boolean).length }
  })
}

function flood(peer) {
  return withServer(peer, async ({ call }) => {
    const at = performance.now()
    const { answered, text, bytes } = await call(peer.shell('seq 1000000 2000000; echo the-end'))
    return {
      floodMs: answered ? performance.now() - at : null,
      floodBytes: bytes ?? null,
      floodEnd: text.includes('the-end'),
    }
  })
}

/** A command with children, one of them in a session of its own. Counted three seconds after the answer. */
function timeout(peer) {
  return withServer(peer, async ({ call }) => {
    if (!peer.endsOnTimeout) return { afterTimeout: null }
    await call(peer.shell('sleep 77701 & setsid sleep 77702 & sleep 77703', 1000))
    await pause(3000)
    return { afterTimeout: leftOf(['sleep 77701', 'sleep 77702', 'sleep 77703']) }
  })
}

function cancel(peer) {
  return withServer(peer, async ({ request, notify, lastId }) => {
    void request('tools/call', peer.shell('sleep 77704'))
    await pause(1000)
    notify('notifications/cancelled', { requestId: lastId(), reason: 'stopped by the user' })
    await pause(3000)
    return { afterCancel: leftOf(['sleep 77704']) }
  })
}

function leaving(peer) {
  return withServer(peer, async ({ call, close }) => {
    await call(peer.shell('sleep 77705 >/dev/null 2>&1 & echo started'), 10_000)
    const needed = await close()
    await pause(3000)
    return { endedBy: needed, afterExit: leftOf(['sleep 77705']) }
  })
}

function leftOf(commands) {
  const left = commands.flatMap((line) => running(line)).length
  for (const line of commands) endAll(line)
  return left
}
