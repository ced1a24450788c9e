export function buildStoryPage(folder: string): Promise<void>
export function serveStoryPage(folder: string, port?: number): Promise<{ address: string; close: () => void }>
