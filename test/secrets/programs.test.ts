// Programs that ask for passwords through the askpass program of commands: git, sudo, ssh, ssh-keygen, and any on a terminal.

import { createServer } from 'node:http'

import { afterAll, describe, expect, test } from 'vitest'

import { needs, openTerminalJob } from '../shell/terminal-job.js'
import { call, startServer } from '../support/client.js'
import { requires } from '../support/requirements.js'
import { SSH, SSH_PASSWORD, startSshServer } from '../support/ssh-server.js'
import { closing, findFilesWith, LINUX, openSetup } from './support.js'

afterAll(() => Promise.all(closing.map((close) => close())))

describe.concurrent('programs', LINUX, () => {
  test('git asks for name and password of an HTTP server', needs('git'), async () => {
    const { client, next, answer, project } = await openSetup()
    const asked: string[] = []
    const server = createServer((request, response) => {
      const { authorization = '' } = request.headers
      asked.push(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString())
      response.writeHead(authorization === '' ? 401 : 404, { 'www-authenticate': 'Basic realm="test"' }).end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    closing.push(async () => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const result = call(client, 'Bash', {
      command: `GIT_TRACE_CURL=1 GIT_TRACE_REDACT=0 git clone http://127.0.0.1:${port}/repo.git`,
    })
    const name = await next()
    expect(name).toMatchObject({ prompt: `Username for 'http://127.0.0.1:${port}':`, isSecret: false, project })
    await answer(name, 'octocat')
    const password = await next()
    expect(password).toMatchObject({ prompt: `Password for 'http://octocat@127.0.0.1:${port}':`, isSecret: true })
    await answer(password, 'git-Secret-1')
    const { text } = await result
    expect(asked).toContain('octocat:git-Secret-1')
    expect(text).toContain('not found')
    expect(text).not.toContain('git-Secret-1')
  })

  test('sudo -A', needs('sudo'), async () => {
    const { client, next, answer } = await openSetup()
    const result = call(client, 'Bash', { command: 'sudo -k; sudo -A -p "sudo password:" true; echo "code $?"' })
    // Root is not asked.
    const first = await Promise.race([result.then(() => undefined), next()])
    if (first) await answer(first, null)
    expect((await result).text).toContain('code ')
  })

  test('ssh-keygen asks for the passphrase of a key', needs('ssh', 'ssh-keygen'), async () => {
    const { client, next, answer } = await openSetup()
    const result = call(client, 'Bash', {
      command: 'ssh-keygen -q -t ed25519 -N passphrase-9 -f key && ssh-keygen -y -f key && echo decrypted',
    })
    const question = await next()
    expect(question.prompt).toContain('passphrase')
    await answer(question, 'passphrase-9')
    expect((await result).text).toContain('decrypted')
  })

  test('ssh asks whether the host is known, and for its password until it is right', requires(...SSH), async () => {
    const { client, ui, next, answer, machine } = await openSetup()
    const server = await startSshServer()
    closing.push(async () => server.stop())
    const wrong = 'wrong-Secret-6'
    // The server prints the password, from two pieces: the command does not contain it.
    const result = call(client, 'Bash', { command: `${server.command} 'echo "it is open"" sesame, $((6 * 7))"'` })
    const host = await next()
    expect(host).toMatchObject({ prompt: expect.stringContaining('(yes/no/[fingerprint])?'), isSecret: false })
    await answer(host, 'yes')
    for (const value of [wrong, SSH_PASSWORD]) {
      const question = await next()
      expect(question).toMatchObject({ prompt: "root@127.0.0.1's password:", isSecret: true })
      expect(question.command).toContain(server.command)
      expect((await answer(question, value)).status).toBe(204)
    }
    expect((await result).text).toContain('it is [secret], 42\n')
    const everything = [JSON.stringify(client.received), client.stderr(), ui.stderr()].join('\n')
    for (const value of [wrong, SSH_PASSWORD]) expect(everything).not.toContain(value)
    expect(findFilesWith([wrong, SSH_PASSWORD], machine.home, machine.stateDir)).toEqual([])
  })

  test('on a terminal the user is asked; without a console, the terminal prompts', needs('script'), async () => {
    const { client, next, answer, watched } = await openSetup()
    const command = 'for i in 1 2; do p=$("$SSH_ASKPASS" "Password $i: "); echo "${#p} characters"; done'
    const job = await openTerminalJob(client, command)
    await answer(await next(), 'on-a-terminal')
    await job.waitFor('13 characters')
    await next()
    watched.leave()
    await job.waitFor('Password 2:')
    expect((await job.type({ input: 'typed\n' })).text).toContain('5 characters')
    const { text } = await job.end()
    expect(text).not.toContain('on-a-terminal')
  })

  test(
    'on a terminal, what is typed as soon as the prompt appears is not echoed',
    needs('script', 'stty'),
    async () => {
      const client = startServer()
      closing.push(() => client.close())
      await client.initialize('2025-11-25')
      const slowStty = String.raw`printf '#!/bin/sh\nsleep 0.3\nexec %s "$@"\n' "$(command -v stty)" > stty; chmod +x stty`
      const command = `${slowStty}; p=$(PATH="$PWD:$PATH" "$SSH_ASKPASS" "Password: "); echo "\${#p} characters"`
      const job = await openTerminalJob(client, command)
      await job.waitFor('Password: ')
      await job.type({ input: 'at-once-7\n', wait_for_pattern: 'characters' })
      const { text } = await job.read({ tail: 20 })
      expect(text).toContain('9 characters')
      expect(text).not.toContain('at-once-7')
    },
  )
})
