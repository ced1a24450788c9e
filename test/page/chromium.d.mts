import type { Browser } from 'playwright-core'

export function openChromium(): Promise<Browser>
