// Counts what a judge finds. A failure prints one line (and, with JUDGE_WIRE=1, what crossed the wire during the
// check); the last line is the judge's summary, which run.mjs adds up.

/** @param {string} judge the name the summary line starts with */
export function openReport(judge) {
  const counts = { passed: 0, failed: 0, skipped: 0 }

  /**
   * Runs one check and resolves to whether it passed.
   * @param {() => string[]} evidence called only when it failed
   */
  async function check(label, run, evidence, limit = 30_000) {
    try {
      await within(limit, run())
      counts.passed++
      return true
    } catch (error) {
      counts.failed++
      console.log(`FAIL ${judge} | ${label} | ${oneLine(error)}`)
      if (process.env.JUDGE_WIRE) for (const line of evidence()) console.log(`     ${line}`)
      return false
    }
  }

  function skip(label, reason) {
    counts.skipped++
    console.log(`SKIP ${judge} | ${label} | ${reason}`)
  }

  function finish() {
    console.log(`${judge}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    process.exitCode = counts.failed > 0 ? 1 : 0
  }

  return { check, skip, finish }
}

/** Rejects when the promise has not settled after `limit` milliseconds. */
export function within(limit, promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing after ${limit} ms`)), limit)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function oneLine(error) {
  const code = typeof error?.code === 'number' ? ` (code ${error.code})` : ''
  const text = String(error?.message ?? error) + code
  return text.replaceAll(/\s+/g, ' ').slice(0, 600)
}
