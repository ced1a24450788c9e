import type { Dictionary } from './dictionary.mjs'

export function makeTables(
  facts: { tools: readonly object[]; options: readonly object[]; peers?: object; clients?: object },
  dictionary: Pick<Dictionary, 'translate'>,
  look?: { translated?: boolean; rtl?: boolean },
): Record<'toolTable' | 'toolPages' | 'optionTable' | 'shortComparison' | 'comparison' | 'clientTable', () => string>
