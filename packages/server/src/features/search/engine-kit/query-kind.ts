// Detects the kind of a query, which selects the vertical engine. A wrong guess costs one engine of eleven.

export type QueryKind = 'general' | 'code' | 'javascript' | 'rust' | 'library' | 'paper' | 'news' | 'platform'

const KIND_BY_HOST: readonly (readonly [RegExp, QueryKind])[] = [
  [/(^|\.)(stackoverflow|stackexchange)\.com$/, 'code'],
  [/(^|\.)npmjs\.com$/, 'javascript'],
  [/(^|\.)crates\.io$/, 'rust'],
  [/(^|\.)github\.com$/, 'library'],
  [/(^|\.)arxiv\.org$/, 'paper'],
  [/(^|\.)developer\.mozilla\.org$/, 'platform'],
  [/(^|\.)ycombinator\.com$/, 'news'],
]

/** The first match wins. */
const KIND_BY_PATTERN: readonly (readonly [RegExp, QueryKind])[] = [
  [/\b(arxiv|preprint|doi|et al|research papers?|papers? (on|about)|systematic review|peer.reviewed)\b/i, 'paper'],
  [/\b(npm|npx|node ?modules?)\b/i, 'javascript'],
  [/\b(crates?|cargo)\b|\brust (library|package)\b/i, 'rust'],
  [/\b(css|html5?|web ?apis?|indexeddb|service workers?|webgl|webrtc|flexbox|mdn|javascript array)\b/i, 'platform'],
  [/\b(librar(y|ies)|frameworks?|github|gitlab|repo(sitory)?|open.?source|sdk|alternatives? to)\b/i, 'library'],
  [/\b(hacker ?news|startups?|releases?d?|launch(ed|es)?|announce[ds]?|outage|data breach|CVE-\d+)\b/i, 'news'],
  [/\b(error|exception|traceback|stack trace|segfault|undefined|compil(e|er|ing)|regex|syntax|deprecated)\b/i, 'code'],
  [
    /\b(python|javascript|typescript|java|golang|rust|kotlin|swift|php|ruby|sql|bash|docker|git|react|c\+\+|c#)/i,
    'code',
  ],
  [/\w\(\)|::|->|=>|\b[a-z]+[A-Z]\w+\b|\b\w+_\w+\b/, 'code'],
]

export function detectQueryKind(text: string, site: string | undefined): QueryKind {
  if (site !== undefined) return KIND_BY_HOST.find(([host]) => host.test(site))?.[1] ?? 'general'
  return KIND_BY_PATTERN.find(([sign]) => sign.test(text))?.[1] ?? 'general'
}
