// The session of calls and reads that a person makes from the console. Nothing is delivered to it and it takes nothing
// over: its results go to a person, not to a model. Used by the console, callbacks and services.ts of the app.

export const CONSOLE_SESSION = 'board'
