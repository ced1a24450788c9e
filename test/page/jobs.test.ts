// Jobs on the page, in a real browser on the real program: what is shown of them, their output with colours, search and
// long output, what they use, and what a person can do with them.

import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import {
  call,
  emptyFolder,
  HAS_PROC,
  isAlive,
  killServer,
  readJob,
  readPid,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { requires } from '../support/requirements.js'
import { openChromium } from './chromium.mjs'
import { listViolations, openPage, type Watched } from './support.js'

const home = emptyFolder()
const project = emptyFolder()
const env = { HOME: home, SANDBOX: 'off' }

let browser: Browser
let server: HttpServer
let client: TestClient
let watched: Watched
let page: Page

beforeAll(async () => {
  browser = await openChromium()
  server = await startProgram({ env, cwd: emptyFolder() })
  client = startServer({ env, cwd: project })
  await client.initialize('2025-11-25')
})

afterAll(async () => {
  await browser?.close()
  await client?.close()
  await server?.stop()
})

beforeEach(async () => {
  watched = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  page = watched.page
})

afterEach(async () => {
  const { complaints } = watched
  await watched.close()
  // No policy was violated.
  expect(complaints).toEqual([])
})

async function openAddress(fragment: string, on: Page = page): Promise<void> {
  await on.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await on.getByRole('link', { name: /^Jobs/ }).waitFor()
  await on.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
}

/** Opened by its number alone. */
async function openJob(id: number): Promise<void> {
  await openAddress(`#/jobs/${id}`)
  await detail(id)
    .getByRole('heading', { name: `Job ${id}` })
    .waitFor()
}

const detail = (id: number): Locator => page.getByRole('region', { name: `Job ${id}`, exact: true })
const row = (text: string): Locator => page.getByRole('main').getByRole('listitem').filter({ hasText: text }).first()
const output = (id: number): Locator => page.getByRole('group', { name: `Output of job ${id}` })
const button = (name: string | RegExp): Locator => page.getByRole('main').getByRole('button', { name })
const isAtEnd = (id: number): Promise<boolean> =>
  output(id).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 8)

async function start(command: string): Promise<number> {
  const id = await startJob(client, command)
  onTestFinished(async () => void (await call(client, 'KillBgTask', { task_id: id })))
  return id
}

async function startToEnd(command: string): Promise<number> {
  const id = await start(command)
  await readJob(client, id, { wait_for_end: true, wait_ms: 120_000 })
  return id
}

async function photograph(name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `jobs-${name}.png`) })
}

describe('the list', () => {
  test('a row is two lines at most; what is open is beside it, and the address survives a reload', async () => {
    const id = await start('echo listed; sleep 600')
    const failed = await startToEnd('exit 3')
    await openAddress('#/jobs')
    await page.getByText('Choose a job to see its output.').waitFor()
    await row('exit 3').getByText('exit code 3').waitFor()
    const { height = 0 } = (await row('echo listed').boundingBox()) ?? {}
    expect(height).toBeGreaterThan(20)
    expect(height).toBeLessThan(80)
    await row('echo listed').getByRole('link').click()
    await output(id).getByText('listed').waitFor()
    expect(await row('exit 3').isVisible()).toBe(true)
    expect(await page.getByRole('link', { name: 'Back to the list' }).count()).toBe(0)
    expect(await page.evaluate('location.hash')).toMatch(new RegExp(`^#/jobs/[0-9a-f]+/${id}$`))
    await photograph('list')
    await page.reload()
    await output(id).getByText('listed').waitFor()
    await openAddress(`#/jobs/${failed}`)
    await detail(failed).getByText('exit code 3').waitFor()
    await openAddress('#/jobs/9999')
    await page.getByText('This job is not listed').waitFor()
  })

  test('the address leads to the job after a restart of the console', async () => {
    const id = await start('echo kept; sleep 600')
    const first = await startProgram({ env, cwd: emptyFolder() })
    const own = await openPage(browser)
    onTestFinished(() => own.close())
    await own.page.goto(`http://127.0.0.1:${first.port}/#key=${TOKEN}`)
    await own.page.getByRole('link', { name: /^Jobs/ }).click()
    await own.page.getByRole('link', { name: /echo kept/ }).click()
    await own.page
      .getByRole('group', { name: `Output of job ${id}` })
      .getByText('kept')
      .waitFor()
    const fragment = String(await own.page.evaluate('location.hash'))
    await first.stop()
    await openAddress(fragment)
    await output(id).getByText('kept').waitFor()
  })

  test('keys: j, k, Enter and Escape; ? lists those of the job', async () => {
    const id = await start('echo first; sleep 600')
    await start('echo second; sleep 600')
    await openAddress('#/jobs')
    await row('echo second').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('echo first')
    await page.keyboard.press('Enter')
    await output(id).getByText('first').waitFor()
    await page.keyboard.press('?')
    for (const name of ['Follow the output', 'Wrap long lines', 'Search the output', 'Kill the job', 'Restart the job'])
      await page.getByRole('dialog').getByText(name).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('x')
    await page.getByRole('dialog').getByText('Kill this job?').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByText('Choose a job to see its output.').waitFor()
  })

  test('on a phone the list, then what is open with a way back', async () => {
    const id = await start('echo phone; sleep 600')
    await page.setViewportSize({ width: 360, height: 740 })
    await openAddress('#/jobs')
    await row('echo phone').getByRole('link').click()
    await output(id).getByText('phone').waitFor()
    expect(await row('echo phone').isVisible()).toBe(false)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await photograph('phone')
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await row('echo phone').waitFor()
  })
})

describe('the output', () => {
  test('has its colours, in a job without a terminal', async () => {
    const id = await startToEnd(
      String.raw`printf '\033[31mred\033[0m \033[1;38;5;46mbold green\033[0m \033[3;4;38;2;10;200;30mtrue\033[0m \033[7minverse\033[0m \033[30mblack\033[0m plain\n'; printf '\033[32m 10%%\r\033[33m 99%%\033[0m\n'`,
    )
    await openJob(id)
    await output(id).getByText('plain').waitFor()
    expect(await output(id).innerText()).toMatch(/^red bold green true inverse black plain\n 99%\n?$/)
    const styleOf = (text: string, name: string): Promise<string> =>
      output(id)
        .getByText(text, { exact: true })
        .evaluate(
          (span, property) => span.ownerDocument.defaultView.getComputedStyle(span).getPropertyValue(property),
          name,
        )
    expect(await styleOf('bold green', 'color')).toBe('rgb(0, 255, 0)')
    expect(await styleOf('bold green', 'font-weight')).toBe('700')
    expect(await styleOf('true', 'color')).toBe('rgb(10, 200, 30)')
    expect(await styleOf('true', 'font-style')).toBe('italic')
    expect(await styleOf('true', 'text-decoration-line')).toBe('underline')
    expect(await styleOf('inverse', 'background-color')).toBe('rgb(232, 235, 239)')
    // Red and black would be too dark on this ground.
    expect(await styleOf('red', 'color')).toMatch(/^rgb\(2[0-9]{2}, /)
    expect(await styleOf('black', 'color')).not.toBe('rgb(0, 0, 0)')
    await photograph('colours')
    expect(await listViolations(page)).toEqual([])
  })

  test('hostile sequences draw nothing, run nothing and change nothing', async () => {
    const hostile = [
      String.raw`\033]52;c;aGFja2Vk\007\033]0;<img src=x onerror=document.title=1>\007`,
      String.raw`\033]8;;javascript:document.title=2\007link\033]8;;\007`,
      String.raw`<img src=x onerror=document.title=3><script>document.title=4</script>`,
      String.raw`\033[31;"><b>x\033[38;2;999;1;1m\033[?1049h\033[2J\033[999;999H\033[8mhidden\033[0m`,
      String.raw`\033[31\n\033[\033[1m\033]unfinished\nlast line\n`,
    ]
    const id = await startToEnd(`printf '${hostile.join('').replaceAll("'", '')}'`)
    await openJob(id)
    await output(id).getByText('last line').waitFor()
    const text = await output(id).innerText()
    expect(text).toContain('last line')
    for (const control of ['\u001B', '\u0007']) expect(text).not.toContain(control)
    expect(await output(id).locator('a, img, b, script').count()).toBe(0)
    expect(await page.title()).toBe('Jobs · scorpiox-code')
  })

  test('10 MB with colours in every line are shown in parts, and nothing is lost in the download', async () => {
    const id = await startToEnd(
      String.raw`awk 'BEGIN { for (n = 1; n <= 200000; n++) printf "\033[3%dmline %d of a long output, padded\033[0m\n", n % 8, n }'`,
    )
    await openJob(id)
    await output(id).getByText('line 200000 of').waitFor()
    expect(await isAtEnd(id)).toBe(true)
    expect(await output(id).locator('span span').count()).toBeLessThan(60_000)
    await page.getByText(/MB of 9\.\d MB|of 9\.\d MB/).waitFor()
    await button('Earlier').click()
    await eventually(
      () => output(id).innerText(),
      (text) => !text.includes('line 200000 of') && /line 1\d{5} of/.test(text),
    )
    await button('Beginning').click()
    await output(id).getByText('line 1 of', { exact: false }).first().waitFor()
    const saving = page.waitForEvent('download')
    await button('Download').click()
    const file = await (await saving).path()
    const saved = readFileSync(file, 'utf8')
    expect(saved.split('\n')).toHaveLength(200_001)
    expect(saved).toContain('\u001B[30mline 200000 of')
    expect((await saving).suggestedFilename()).toBe(`job-${id}.log`)
  })

  test('10 MB of hostile bytes and of a colour for every character leave the page usable', async () => {
    const rainbow = String.raw`awk 'BEGIN { for (n = 1; n <= 400000; n++) printf "\033[38;2;%d;%d;%dmx%s", n % 256, n % 251, n % 7, n % 100 ? "" : "\n"; print "\033[m" }'`
    const random = `node -e "for (let n = 0; n < 20; n++) process.stdout.write(require('crypto').randomBytes(65536))"`
    const id = await startToEnd(`${rainbow}; ${random}; ${rainbow}; printf '\\033[31mthe end\\033[m\\n'`)
    await openJob(id)
    await output(id).getByText('the end').waitFor()
    await page.getByText(/of \d+(\.\d)? MB/).waitFor()
    expect(await output(id).locator('span span').count()).toBeLessThan(60_000)
    await button('Earlier').click()
    await button('Beginning').click()
    await eventually(
      () => output(id).innerText(),
      (text) => text.startsWith('xxxx') && !text.includes('\u001B'),
    )
    await page.getByRole('searchbox').fill('xxxxx')
    await page.getByText(/of 5,000\+/).waitFor()
    await page.getByRole('link', { name: 'Jobs' }).first().click()
    await page.getByText('Choose a job to see its output.').waitFor()
  })

  test('is followed until the user scrolls up, and again at the end or by the key', async () => {
    const fifo = `feed-${Date.now()}`
    const id = await start(`seq 1 300; mkfifo ${fifo}; while read -r line; do seq 1 50; echo "$line"; done <> ${fifo}`)
    const feed = (line: string): Promise<unknown> => call(client, 'Bash', { command: `echo ${line} > ${fifo}` })
    await openJob(id)
    await output(id).getByText('300').waitFor()
    await feed('one')
    await output(id).getByText('one').waitFor()
    await expect.poll(() => isAtEnd(id)).toBe(true)
    await output(id).evaluate((box) => void (box.scrollTop = 0))
    await expect.poll(() => button('Follow').getAttribute('aria-pressed')).toBe('false')
    await feed('two')
    await output(id).getByText('two').waitFor()
    expect(await output(id).evaluate((box) => box.scrollTop)).toBe(0)
    await detail(id).focus()
    await page.keyboard.press('f')
    await expect.poll(() => isAtEnd(id)).toBe(true)
    await feed('three')
    await output(id).getByText('three').waitFor()
    await expect.poll(() => isAtEnd(id)).toBe(true)
  })

  test('is searched: count, next and previous, also over colours, while it grows', async () => {
    const id = await start(
      String.raw`seq -f 'line %.0f' 1 500; printf 'nee\033[31mdle\033[0m at the end\nNeedle\n'; read -r line; sleep 600`,
    )
    await openJob(id)
    await output(id).getByText('at the end').waitFor()
    await detail(id).focus()
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    await page.getByText('2 of 2').waitFor()
    expect(await page.evaluate('CSS.highlights.get("found").size')).toBe(2)
    await page.keyboard.press('Enter')
    await page.getByText('1 of 2').waitFor()
    await photograph('search')
    await page.keyboard.press('Shift+Enter')
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('searchbox').fill('line 7')
    await page.getByText('11 of 11').waitFor()
    await button('Previous match').click()
    await page.getByText('10 of 11').waitFor()
    expect(await isAtEnd(id)).toBe(false)
    await page.getByRole('searchbox').fill('not there')
    await page.getByText('No match').waitFor()
    await page.getByRole('searchbox').press('Escape')
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    // It is still open.
    await output(id).waitFor()
  })

  test('wraps long lines or not, and is copied; the command is copied whole', async () => {
    const command = `echo ${'wide '.repeat(200)}\necho last`
    const id = await startToEnd(command)
    await openJob(id)
    await output(id).getByText('last').waitFor()
    const isWide = (): Promise<boolean> => output(id).evaluate((box) => box.scrollWidth > box.clientWidth)
    expect(await isWide()).toBe(false)
    await button('Wrap lines').click()
    expect(await isWide()).toBe(true)
    await page.keyboard.press('w')
    await expect.poll(isWide).toBe(false)
    await button('Copy output').click()
    await page.getByRole('status').filter({ hasText: 'copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${'wide '.repeat(200).trimEnd()}\nlast\n`)
    await page.getByRole('group', { name: 'Command' }).filter({ hasText: 'echo last' }).waitFor()
    await button('Copy command').click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(command)
  })
})

const LISTENING = requires({ isMet: HAS_PROC, reason: 'there is no /proc' })

describe('what it uses', LISTENING, () => {
  test('processor and memory with a graph, and a port whose link opens its page', async () => {
    const script = [
      "const server = require('http').createServer((_, answer) => answer.end('page of the job'))",
      "server.listen(0, '127.0.0.1', () => console.log('port', server.address().port))",
      'setInterval(() => { const end = Date.now() + 50; while (Date.now() < end); }, 100)',
    ]
    const id = await start(`exec ${process.execPath} -e "${script.join(';')}"`)
    const { text } = await readJob(client, id, { wait_for_pattern: String.raw`port \d+`, wait_ms: 120_000 })
    const port = Number(/port (\d+)/.exec(text)?.[1])
    await openJob(id)
    await page.getByRole('img', { name: /^CPU usage in the last \d+s: \d+% now/ }).waitFor()
    await page.getByRole('img', { name: /^Memory in the last .* now, .* at most/ }).waitFor()
    await detail(id).getByText('in 1 process').waitFor()
    await photograph('usage')
    expect(await listViolations(page)).toEqual([])
    const opening = page.waitForEvent('popup')
    await page.getByRole('link', { name: `${port}`, exact: true }).click()
    const opened = await opening
    await opened.getByText('page of the job').waitFor()
    expect(opened.url()).toBe(`http://127.0.0.1:${port}/`)
    expect(await opened.evaluate('window.opener')).toBe(null)
  })
})

/** Through it the browser reaches this machine by another name, as from another machine. */
async function openRemotePage(): Promise<{ readonly remote: Page; readonly url: string }> {
  const consoleServer = await startProgram({ env: { ...env, PUBLIC_URL: 'http://console.test/' }, cwd: emptyFolder() })
  const proxy = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming
    const path = new URL(url).pathname
    const forwarded = request({ host: '127.0.0.1', port: consoleServer.port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const opened = await openPage(browser, { proxy: { server: `http://127.0.0.1:${port}` } })
  onTestFinished(async () => {
    await opened.close()
    proxy.closeAllConnections()
    proxy.close()
    await consoleServer.stop()
  })
  return { remote: opened.page, url: 'http://console.test/' }
}

test('from another machine a port is no link, and the page says where it is', LISTENING, async () => {
  const id = await start(
    `exec ${process.execPath} -e "require('net').createServer().listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })"`,
  )
  const { text } = await readJob(client, id, { wait_for_pattern: String.raw`port \d+`, wait_ms: 120_000 })
  const port = /port (\d+)/.exec(text)?.[1] ?? ''
  const { remote, url } = await openRemotePage()
  await remote.goto(`${url}#key=${TOKEN}`)
  await remote.getByRole('link', { name: /^Jobs/ }).click()
  await remote.getByRole('link', { name: new RegExp(`Job ${id} `) }).click()
  await remote.getByText('on the server machine').waitFor()
  await remote.locator('.ports').getByText(port).waitFor()
  expect(await remote.getByRole('link', { name: port, exact: true }).count()).toBe(0)
})

/** The number of the job that is open after the restart of another. */
async function restartedFrom(id: number): Promise<number> {
  const readNumber = async (): Promise<number> =>
    Number(/\d+$/.exec(String(await page.evaluate('location.hash')))?.[0] ?? id)
  return eventually(readNumber, (number) => number !== id)
}

describe('actions', () => {
  test('kill asks first and ends the whole process tree', async () => {
    const id = await start('sleep 600 & echo $! > killed; wait')
    const pid = await readPid(join(project, 'killed'))
    await openJob(id)
    await button(`Kill Job ${id}`).click()
    await page.getByRole('dialog').getByText('Kill this job?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep running' }).click()
    expect(isAlive(pid)).toBe(true)
    await button(`Kill Job ${id}`).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click()
    await detail(id).getByText('killed', { exact: true }).waitFor()
    await waitForExit(pid)
  })

  test('restart of a running job asks first, ends it and opens the new one', async () => {
    const id = await start('echo $$ > restarted; echo started again; sleep 600')
    const pid = await readPid(join(project, 'restarted'))
    await openJob(id)
    await button(`Restart Job ${id}`).click()
    await page.getByRole('dialog').getByText('The job is killed with all its child processes. Then').waitFor()
    expect(isAlive(pid)).toBe(true)
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
    const next = await restartedFrom(id)
    onTestFinished(async () => void (await call(client, 'KillBgTask', { task_id: next })))
    await output(next).getByText('started again').waitFor()
    await waitForExit(pid)
    expect((await call(client, 'ListBgTasks', {})).text).toContain('started again')
  })

  test('restart of an ended job asks first; a refusal is shown', async () => {
    const id = await startToEnd(`echo over # ${'a long command '.repeat(60)}that ends here`)
    await openJob(id)
    await detail(id).getByText('exit code 0').waitFor()
    await detail(id).getByText('that ends here').waitFor()
    await button(`Restart Job ${id}`).click()
    await page.getByRole('dialog').getByText('Its command runs again as a new job').waitFor()
    // A person decides by the whole command.
    await page.getByRole('dialog').getByText('that ends here').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
    const next = await restartedFrom(id)
    await detail(next).getByText('exit code 0').waitFor()
    const strict = startServer({ env: { ...env, MAX_JOBS: '1' }, cwd: emptyFolder() })
    onTestFinished(async () => void (await strict.close()))
    await strict.initialize('2025-11-25')
    const ended = await startJob(strict, 'echo refused here')
    await readJob(strict, ended, { wait_for_end: true, wait_ms: 120_000 })
    await startJob(strict, 'sleep 600')
    await openAddress('#/jobs')
    await row('echo refused here').getByRole('link').click()
    await button(`Restart Job ${ended}`).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
    await page.getByText(/1 jobs? (are|is) running, which is the limit/).waitFor()
    // The browser logs the refusal.
    watched = { ...watched, complaints: watched.complaints.filter((text) => !text.includes('409')) }
  })

  test('of a server that has exited the jobs stay, marked, without actions', async () => {
    const other = startServer({ env, cwd: emptyFolder() })
    await other.initialize('2025-11-25')
    const id = await startJob(other, 'echo words of the gone; sleep 600')
    await openAddress('#/jobs')
    await row('words of the gone').getByRole('link').click()
    await output(id).getByText('words of the gone').waitFor()
    await killServer(other)
    await row('words of the gone').getByText('Server has exited').waitFor()
    await page.getByText('The server of this job has exited.').waitFor()
    expect(await button(`Restart Job ${id}`).isDisabled()).toBe(true)
    expect(await button(`Kill Job ${id}`).count()).toBe(0)
    await page
      .getByRole('group', { name: `Last lines · Job ${id}` })
      .getByText('words of the gone')
      .waitFor()
    await photograph('gone')
    expect(await listViolations(page)).toEqual([])
  })
})

test('axe finds no violations, light or dark, wide or small', async () => {
  const id = await start(
    String.raw`printf '\033[31mred \033[34mblue \033[90mgrey \033[42mon green\033[0m\n'; sleep 600`,
  )
  await openJob(id)
  await output(id).getByText('on green').waitFor()
  for (const width of [1440, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await listViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      await photograph(`${width}-${colorScheme}`)
    }
})
