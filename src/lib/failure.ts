// Expected errors that are explained to the model. No other error message reaches the model.

/** An expected error, explained to the model: what happened, and what to do next. Anything else thrown is a bug. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}
