// The published revisions of the protocol. They are dates, so "since" is a string comparison. Legacy revisions are
// negotiated once by `initialize`; the modern one is named by every request in its `_meta`. Used wherever revisions
// differ. Pure.

const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const MODERN_REVISION = '2026-07-28'
export const NEWEST_LEGACY = '2025-11-25'

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number]
/** A published revision of the protocol, by its date. */
export type Revision = LegacyRevision | typeof MODERN_REVISION

/** Newest first, the order in which clients receive them. */
export const SUPPORTED_REVISIONS: readonly Revision[] = [MODERN_REVISION, ...LEGACY_REVISIONS.toReversed()]

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return LEGACY_REVISIONS.some((revision) => revision === value)
}

/** Returns the requested legacy revision if it is supported, otherwise the newest. */
export function negotiateRevision(requested: unknown): LegacyRevision {
  return isLegacyRevision(requested) ? requested : NEWEST_LEGACY
}
