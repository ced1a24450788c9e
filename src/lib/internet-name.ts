// Classifies host names that are local or cloud metadata services by name alone. For all other names the resolved
// addresses decide.

import type { Standing } from './internet-address.js'

/** Names of local networks and machines; none of them is delegated in the public DNS. */
const LOCAL_DOMAINS = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'onion',
  'svc',
])

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.internal',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
])

/** `name` is in lower case without a trailing dot. */
export function standingOfName(name: string): Standing {
  if (METADATA_NAMES.has(name)) return 'metadata'
  const labels = name.split('.')
  return LOCAL_DOMAINS.has(labels.slice(-1).join('.')) || LOCAL_DOMAINS.has(labels.slice(-2).join('.'))
    ? 'private'
    : 'public'
}
