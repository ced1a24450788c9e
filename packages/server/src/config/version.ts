// The version of this program. A test keeps it equal to package.json. Used in the app, the console, and requests to the
// web. Data only.

export const VERSION = '1.0.0'
