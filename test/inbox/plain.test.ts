// The inbox without a terminal: it prints the state once.

import { once } from 'node:events'
import { createServer } from 'node:net'

import { describe, expect, test, vi } from 'vitest'

import { call, startJob } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { HAS_TERMINALS, newInboxHome, printed } from '../support/terminal.js'

describe.concurrent('without a terminal', () => {
  test('it prints the state and exits', async () => {
    const home = newInboxHome()
    expect(await printed(home)).toEqual({ code: 0, out: 'scorpiox-code inbox · no questions · 0 servers\n' })
    await home.ask({ text: 'Which\u001B[31m colour?' })
    const { code, out } = await printed(home)
    expect(code).toBe(0)
    expect(out).toMatch(/· 1 question ·[^]*\nQuestions\n[^]*Which \[31m colour\?\n +○ red\n +○ green\n/)
  })

  test('a database that does not answer is not shown as empty', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const home = newInboxHome()
    const { out } = await printed({ ...home, env: { ...home.env, DATABASE_URL: `postgres://u@127.0.0.1:${port}/x` } })
    expect(out).toMatch(/^scorpiox-code inbox · 1 problem · 0 servers\n\nProblems\n.* does not answer/)
    silent.close()
  })

  test('it includes the running jobs and calls of servers', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const job = await startJob(server, 'echo begun; sleep 600')
    // A server opens its socket shortly after the start, and a job needs a moment to print.
    const out = await vi.waitFor(async () => {
      const result = await printed(home)
      expect(result.out).toContain('· 1 server\n')
      expect(result.out).toMatch(new RegExp(`\nJobs\n  ${job} · \\d+s · echo begun; sleep 600 · begun\n`))
      return result.out
    })
    expect(out).toMatch(/\nRecent calls\n {2}✓ BackgroundBash · /)
    expect(out).toMatch(/\nServers and tools\n.* · stdio, process \d+ · .*\n {4}✓ .*Bash/)
    await server.close()
  })

  test.skipIf(process.platform === 'win32')(
    'it waits for a slow server, and names one that does not answer',
    async () => {
      const home = newInboxHome()
      const server = home.server()
      await server.initialize('2025-06-18')
      await startJob(server, 'echo begun; sleep 600')
      await vi.waitFor(async () => expect((await printed(home)).out).toContain('· 1 server\n'))
      // On a busy machine the inbox may begin to wait after the server goes on, or give up before.
      const answered = await eventually(
        async () => {
          server.child.kill('SIGSTOP')
          const slow = printed(home, '--json')
          setTimeout(() => server.child.kill('SIGCONT'), 1200)
          return JSON.parse((await slow).out)
        },
        ({ problems }) => problems.length === 0,
      )
      expect(answered.jobs).toMatchObject([{ command: 'echo begun; sleep 600' }])
      server.child.kill('SIGSTOP')
      const { code, out } = await printed(home)
      server.child.kill('SIGCONT')
      expect(code).toBe(0)
      expect(out).toMatch(
        new RegExp(`· 1 problem ·[^]*The server with process ${server.child.pid} did not answer within 2 s\\. What it`),
      )
      await server.close()
    },
  )

  test('it prints Korean and Arabic, by the environment or by --lang', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?', multiple: true })
    const korean = await printed({ ...home, env: { ...home.env, LC_ALL: 'ko_KR.UTF-8' } })
    expect(korean.out).toMatch(
      /^scorpiox-code inbox · 질문 1개 · 서버 0개\n\n질문\n.* · 질문 1 · .*\n {4}Which colour\? · 여러 개 선택 가능\n/,
    )
    const arabic = await printed({ ...home, env: { ...home.env, LANG: 'ko_KR.UTF-8' } }, '--lang', 'ar')
    expect(arabic.out).toMatch(/^scorpiox-code inbox · سؤال واحد · لا خوادم\n\nالأسئلة\n/)
    // In logical order: the terminal reorders it.
    expect(arabic.out).toContain('Which colour? · اختر إجابة أو أكثر\n')
    const english = await printed({ ...home, env: { ...home.env, LC_ALL: 'ko_KR.UTF-8' } }, '--lang', 'en')
    expect(english.out).toContain('1 question')
    expect(await printed(home, '--lang', 'xx')).toMatchObject({ code: 2 })
  })

  test('it includes the plan and all open tasks', async () => {
    const home = newInboxHome()
    const plan = '# Roof\n\n- [ ] tiles\u001B[31m\n'
    const server = home.server()
    await server.initialize('2025-06-18')
    await call(server, 'PlanMode', { action: 'enter', goal: 'A new roof' })
    await call(server, 'PlanMode', { action: 'status', plan })
    await server.close()
    await home.write(async ({ tasks }) => {
      for (let task = 1; task <= 250; task++) await tasks.insert(`chore ${task}`, Date.now())
    })
    const { out } = await printed(home)
    expect(out).toContain('  Plan: A new roof\n      # Roof\n\n      - [ ] tiles\n')
    expect(out.match(/chore \d+$/gm)).toEqual(Array.from({ length: 250 }, (_, index) => `chore ${250 - index}`))
    const { projects } = JSON.parse((await printed(home, '--json')).out)
    expect(projects[0]).toMatchObject({ planText: plan, openTasks: 250 })
    expect(projects[0].tasks).toHaveLength(250)
  })

  test('as JSON it is the view model', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?' })
    const { code, out } = await printed(home, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      questions: [{ project: home.cwd, waiting: false, questions: [{ text: 'Which colour?' }] }],
      jobs: [],
      problems: [],
    })
  })

  test.skipIf(!HAS_TERMINALS).each([['--once'], ['--json']])('%s prints the same as one command', async (flag) => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox({ args: [flag] })
    const { code, before, after } = await terminal.ended
    expect(code).toBe(0)
    expect(after).toBe(before)
    expect(terminal.bytes()).toContain('Which colour?')
    expect(terminal.bytes()).not.toContain('\u001B[')
  })
})
