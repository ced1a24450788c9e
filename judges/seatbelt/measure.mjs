// Measures how long a profile for macOS takes in a new process, ours and those of @anthropic-ai/sandbox-runtime, for 150
// hidden and 20 protected paths: `node judges/seatbelt/measure.mjs` after `npm run build`. Prints medians.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const RUNS = 11
const KINDS = ['ours', 'their module', 'their package']
const HIDDEN = Array.from({ length: 150 }, (_, index) => `/Users/ann/.secret${index}`)
const PROTECTED = Array.from({ length: 20 }, (_, index) => `/Users/ann/p/.x${index}`)

const [kind] = process.argv.slice(2)
if (kind === undefined) for (const each of KINDS) console.log(each, median(each))
else console.log(JSON.stringify(await measure(kind)))

async function measure(which) {
  const startedAt = performance.now()
  const build = which === 'ours' ? await loadOurs() : await loadTheirs(which === 'their package')
  const loadedAt = performance.now()
  build()
  const firstMs = performance.now() - loadedAt
  return { loadMs: loadedAt - startedAt, firstMs, rssMB: process.memoryUsage().rss / 1e6 }
}

async function loadOurs() {
  const [{ planMounts }, { buildSeatbeltProfile }] = await Promise.all([
    import('../../dist/judge/seatbelt/mount-plan.mjs'),
    import('../../dist/judge/seatbelt/seatbelt.mjs'),
  ])
  const pathRules = [
    { path: '/Users/ann/p', access: 'writable' },
    ...HIDDEN.map((path) => ({ path, access: 'hidden folder' })),
    ...PROTECTED.map((path) => ({ path, access: 'protected' })),
  ]
  const view = { base: 'everything', pathRules, privateFolders: [] }
  return () => buildSeatbeltProfile({ plan: planMounts(view, () => true), base: 'everything', hasNetwork: true })
}

/** A program can only import the package, which exports no function that returns a profile. */
async function loadTheirs(isWhole) {
  const generator = import.meta.resolve('@anthropic-ai/sandbox-runtime')
  if (isWhole) await import(generator)
  const { wrapCommandWithSandboxMacOS } = await import(new URL('sandbox/macos-sandbox-utils.js', generator))
  return () =>
    wrapCommandWithSandboxMacOS({
      command: 'true',
      needsNetworkRestriction: false,
      readConfig: { denyOnly: HIDDEN, allowWithinDeny: [] },
      writeConfig: { allowOnly: ['/Users/ann/p'], denyWithinAllow: PROTECTED },
      allowPty: true,
      binShell: 'sh',
    })
}

function median(which) {
  const results = Array.from({ length: RUNS }, () =>
    JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), which], { encoding: 'utf8' })),
  )
  const middle = (key) => results.map((result) => result[key]).sort((one, other) => one - other)[(RUNS - 1) / 2]
  return Object.fromEntries(['loadMs', 'firstMs', 'rssMB'].map((key) => [key, Number(middle(key).toFixed(1))]))
}
