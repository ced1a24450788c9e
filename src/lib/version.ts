// The version of this program, as clients and people are told; a test keeps it equal to package.json.

export const VERSION = '1.0.0'
