// The product on one screen: every tool this server has, in the order clients are shown them.

import { bash } from './bash.js'
import type { Tool } from './tool.js'

export const TOOLS: readonly Tool[] = [bash]
