// The version of this program. A test keeps it equal to package.json.

export const VERSION = '1.0.0'
