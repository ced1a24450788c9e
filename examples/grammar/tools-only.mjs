// A complete server with one tool.
import { serve } from 'scorpiox-code'
import { conjugate } from './conjugate.mjs'

await serve({ name: 'minimcp-grammar', version: '0.1.0', tools: [conjugate] })
