// The TypeScript type of the values a JSON Schema literal accepts, so that a tool's `run` is typed by the schema the
// client sees. Covers type, properties, required, items, enum, const, anyOf and oneOf; everything else is unknown. Types
// only; used by the definitions of tools and questions.

type PrimitiveTypes = {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

type Properties<P> = { readonly [key: string]: P }

type Flatten<T> = { [K in keyof T]: T[K] }

/** A required name without a property schema is a member too. */
type ObjectType<P extends Properties<unknown>, R extends string> = Flatten<
  { readonly [K in keyof P as K extends R ? K : never]: FromSchema<P[K]> } & {
    readonly [K in keyof P as K extends R ? never : K]?: FromSchema<P[K]> | undefined
  } & { readonly [K in Exclude<R, keyof P>]: unknown }
>

type ObjectOf<S> = S extends { readonly properties: infer P extends Properties<unknown> }
  ? ObjectType<P, S extends { readonly required: readonly (infer R extends string)[] } ? R : never>
  : S extends { readonly anyOf: readonly (infer B)[] } | { readonly oneOf: readonly (infer B)[] }
    ? FromSchema<B & { readonly type: 'object' }>
    : {
        readonly [key: string]: S extends { readonly additionalProperties: infer A extends object }
          ? FromSchema<A>
          : unknown
      }

type TypeByName<S, T> = T extends 'object'
  ? ObjectOf<S>
  : T extends 'array'
    ? readonly (S extends { readonly items: infer I } ? FromSchema<I> : unknown)[]
    : T extends keyof PrimitiveTypes
      ? PrimitiveTypes[T]
      : unknown

/** The type of the values a JSON Schema literal accepts. */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: 'object' }
      ? ObjectOf<S>
      : S extends { readonly anyOf: readonly (infer B)[] }
        ? FromSchema<B>
        : S extends { readonly oneOf: readonly (infer B)[] }
          ? FromSchema<B>
          : S extends { readonly type: infer T }
            ? TypeByName<S, T extends readonly (infer U)[] ? U : T>
            : unknown
