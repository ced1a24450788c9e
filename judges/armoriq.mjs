// Judge: all ArmorIQ components that call an MCP server, against this server and one written with its library: agent, command
// line and scanner as in their sources, and the published SDK through a fake of its proxy.
import { agentChecks, commandLineChecks, formatChecks, scannerChecks } from './armoriq/caller-checks.mjs'
import { openPlatform } from './armoriq/platform.mjs'
import { blockChecks, sdkChecks, shellChecks } from './armoriq/sdk-checks.mjs'
import { startFixture, startProgram } from './http-clients/servers.mjs'
import { openReport } from './shared/report.mjs'

const report = openReport('armoriq')
const token = 'a-token-for-the-judge'
const targets = {
  fixture: { start: startFixture, name: 'fixture', tool: 'echo', call: (text) => ['echo', { text }] },
  server: {
    start: startProgram,
    name: 'scorpiox-code',
    tool: 'Bash',
    call: (text) => ['Bash', { command: `echo ${text}` }],
  },
}

for (const [label, target] of Object.entries(targets)) {
  for (const secured of [false, true]) {
    const server = await target.start(secured ? token : undefined)
    const name = `${label}${secured ? ' with a token' : ''}`
    try {
      await runAll(`${name} | agent`, agentChecks(server, target))
      await runAll(`${name} | command line`, commandLineChecks(server, target))
      await runAll(`${name} | scanner`, scannerChecks(server, target))
      await runAll(`${name} | format`, formatChecks(server, target))
      await runSdk(`${name} | sdk`, server, target)
    } finally {
      await server.stop()
    }
  }
}
report.finish()

async function runSdk(label, server, target) {
  const platform = await openPlatform(server)
  try {
    await runAll(label, [
      ...sdkChecks(platform, target),
      ...(target.tool === 'Bash' ? shellChecks(platform) : blockChecks(platform)),
    ])
  } finally {
    platform.close()
  }
}

async function runAll(label, checks) {
  for (const [what, check] of checks)
    await report.check(
      `${label} | ${what}`,
      async () => check(),
      () => [],
    )
}
