// Text printed when the program is started on a terminal without a command: what it is, how to connect it, what works here.

import { VERSION } from '../lib/version.js'
import { stdioGuide, type Launch } from './connect.js'
import { asTyped, report } from './doctor.js'
import type { Finding } from './finding.js'
import { wrapText } from './layout.js'

export function greeting(launch: Launch, findings: readonly Finding[], name: string, columns?: number): string {
  const prose = (text: string): string => wrapText(`${text}\n`, columns)
  return [
    prose(`scorpiox-code ${VERSION}`),
    prose(
      'An MCP server: it lets an AI client run commands on this machine. The client starts it. The first command below ' +
        'connects all your clients; the others connect one client each:\n',
    ),
    stdioGuide(launch),
    prose('\nOn this machine:'),
    wrapText(report(findings.map((finding) => asTyped(finding, name))), columns),
    prose(`\nMore: ${name} --help`),
  ].join('')
}
