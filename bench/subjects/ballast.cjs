// What a server may hold besides its own code. Every page is written to: fork() copies the table of those that were,
// so the cost of a spawn grows with them.

const MEGABYTES = 300

globalThis.ballast = Array.from({ length: MEGABYTES }, () => Buffer.alloc(1_000_000, 1))
