// Export conditions for bundling this repository: its packages import each other's sources.

export const SOURCE_CONDITIONS = ['@scorpiox/source', 'node', 'import', 'default']
