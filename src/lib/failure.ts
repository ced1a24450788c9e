// Error classes and JSON-RPC error codes. A Failure is an expected error explained to the model; a ProtocolError
// becomes a JSON-RPC error; anything else thrown is a bug, and its message reaches neither client nor model.

/** An expected error, explained to the model: what happened, and what to do next. Anything else thrown is a bug. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}
