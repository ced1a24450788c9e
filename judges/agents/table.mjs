// Renders results.json as the table of docs/clients.md: a row for each thing that was judged, a column for each client.

const scenarioRows = {
  success: 'output of a command',
  failure: 'output and exit code of a failed command',
  timeout: 'output up to a timeout, and the message about it',
  'long output': 'end of a long output, and where the rest is',
  job: 'job: output and exit code',
  skill: 'skill',
  plan: 'plan mode',
  question: 'question without a terminal: stored, answered in the chat',
  'question on a terminal': 'question as a form on a terminal',
  callback: 'callback that becomes due during a call',
  'callback with a failure': 'callback before a failed result',
  'HTTP with a token': 'HTTP with a token',
  'kill -9 of the client': 'no processes left after `kill -9` of the client',
}

/** @param {Record<string, object>} clients results.json */
export function renderClients(clients) {
  const all = Object.values(clients)
  const rows = [
    ['version', ...all.map(({ version }) => version)],
    ['protocol revision', ...all.map(({ protocol }) => protocol ?? '–')],
    ...Object.entries(scenarioRows).map(([name, label]) => [
      label,
      ...all.map(({ scenarios }) => verdict(scenarios[name])),
    ]),
    ['image', ...all.map(({ images }) => verdict(images))],
    ["the server's `instructions`", ...all.map(({ instructions }) => verdict(instructions))],
    ['bytes that arrive of an output of 106,901 bytes', ...all.map(({ longResultBytes }) => number(longResultBytes))],
    ['tool definitions in a request, bytes', ...all.map(({ toolBytes }) => number(toolBytes))],
  ]
  const heads = ['reaches the model', ...all.map(({ label }) => label)]
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function verdict(value) {
  if (value === undefined) return '–'
  return value ? 'yes' : '**no**'
}

function number(value) {
  return value === undefined ? '–' : value.toLocaleString('en-US')
}
