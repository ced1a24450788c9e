// The published ArmorIQ SDK as its users call it, with everything it would reach on the internet on the loopback.
import { createRequire } from 'node:module'

// It ships CommonJS, and logs to the console.
const { ArmorIQClient } = quietly(() => createRequire(import.meta.url)('@armoriq/sdk'))

/** @param platform what `openPlatform` resolved to */
export function openSdk(platform) {
  const client = quietly(
    () =>
      new ArmorIQClient({
        apiKey: 'ak_test_judge',
        userId: 'judge',
        agentId: 'judge-agent',
        iapEndpoint: platform.url,
        proxyEndpoint: platform.url,
        backendEndpoint: platform.url,
        timeout: 15_000,
      }),
  )
  return {
    /** One step of a plan, from its capture to the result of the tool. */
    async invoke(action, params, userEmail) {
      const restore = silence()
      try {
        const plan = client.capturePlan('judge', action, { goal: action, steps: [{ action, mcp: 'judged', params }] })
        const token = await client.getIntentToken(plan)
        return await client.invoke('judged', action, token, params, undefined, userEmail)
      } finally {
        restore()
      }
    },
  }
}

function quietly(run) {
  const restore = silence()
  try {
    return run()
  } finally {
    restore()
  }
}

function silence() {
  const { log, warn } = console
  console.log = () => {}
  console.warn = () => {}
  return () => Object.assign(console, { log, warn })
}
