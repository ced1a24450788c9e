// An expected bad outcome, explained to the model: what happened, and what to do next.
// Anything thrown that is not a Failure is a bug and never reaches the model as a sentence of ours.

/** An expected bad outcome, said to the model: what happened, and what to do next. Anything else thrown is a bug. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}
