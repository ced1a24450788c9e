// What a host's name alone tells about where it leads. Most names tell nothing: then its addresses decide.

import type { Standing } from './internet-address.js'

/** What networks and machines call their own; none of it is delegated in the public tree. */
const OWN = new Set([
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

/** Of a name in small letters without a dot at its end. */
export function standingOfName(name: string): Standing {
  if (METADATA_NAMES.has(name)) return 'metadata'
  const labels = name.split('.')
  return OWN.has(labels.slice(-1).join('.')) || OWN.has(labels.slice(-2).join('.')) ? 'private' : 'public'
}
