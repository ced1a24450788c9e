// What a person sees who types the command on a terminal: what it is, how to connect it, what works here.

import { VERSION } from '../lib/version.js'
import { connectionGuide, type Launch } from './connect.js'
import { asTyped, report } from './doctor.js'
import type { Finding } from './finding.js'

export function greeting(launch: Launch, findings: readonly Finding[], name: string): string {
  return `scorpiox-code ${VERSION}
An MCP server: it gives an AI client a shell and more. A client starts it by itself; the first of these connects your
clients, the others are for doing it by hand:

${connectionGuide(launch)}
On this machine:
${report(findings.map((finding) => asTyped(finding, name)))}
More: ${name} --help
`
}
