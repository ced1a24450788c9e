// What may go wrong and is expected to. Nothing else that is thrown ever reaches the model as a sentence of ours.

/** An expected bad outcome, said to the model: what happened, and what to do next. Anything else thrown is a bug. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}
