// Shows the same pages with playwright-core: goes there, waits until the document has not changed for a while, takes it.

const [executablePath, host, turns, startedAt] = process.argv.slice(2)
const { chromium } = await import('playwright-core')
const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] })

const untilQuiet = (quietMs) =>
  new Promise((resolve) => {
    let timer = setTimeout(resolve, quietMs)
    new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(resolve, quietMs)
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })

const show = async (path) => {
  const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
  const page = await context.newPage()
  await page.goto(`http://${host}${path}`, { waitUntil: 'domcontentloaded' })
  await page.evaluate(untilQuiet, 150)
  const html = await page.content()
  await context.close()
  if (!html.includes('paragraph 29')) throw new Error(`${path} is not whole`)
}
const print = (row, ms) => process.stdout.write(`${JSON.stringify({ row, ms })}\n`)

await show('/made')
print('pageFirst', performance.timeOrigin + performance.now() - Number(startedAt))
for (let turn = 0; turn < Number(turns); turn++) {
  for (const [row, path] of [
    ['pageMade', '/made'],
    ['pageChatty', '/chatty'],
  ]) {
    const before = performance.now()
    await show(path)
    print(row, performance.now() - before)
  }
}
await browser.close()
