// Whether the sandbox can be tested on this machine.

import { canRun, type Requirement } from '../requirements.js'

export const SANDBOX: Requirement = {
  isMet: canRun('bwrap', ['--unshare-user', '--disable-userns', '--dev-bind', '/', '/', 'true']),
  reason: 'bubblewrap is not installed, or is not allowed to create user namespaces',
}
