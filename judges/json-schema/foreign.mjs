// Third-party validators, and where each of them is known to be wrong. There it is not consulted, and the other one
// decides alone. Every such rule carries its proof: a schema, a value, and the verdict the specification gives, which
// the validator does not; judge.mjs fails when a later version does, since the rule must then go.

import { Validator } from '@cfworker/json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'

const unevaluated = ['unevaluatedItems', 'unevaluatedProperties']
const branches = ['allOf', 'anyOf', 'oneOf']

// A property that a JSON object does not have is not there, whatever JavaScript objects inherit.
const ajv = new Ajv2020({ strict: false, ownProperties: true })

export const validators = {
  ajv: {
    compile: (schema) => {
      const check = ajv.compile(schema)
      if (typeof schema === 'object') ajv.removeSchema(schema)
      return (value) => check(value)
    },
    unheard: {
      'multipleOf divides in binary, and reads a large quotient by its spelling': {
        proof: ['{"multipleOf":0.1}', '0.3', true],
        applies: (schema, value) =>
          has(schema, ['multipleOf'], (step) => step % 0.5 !== 0) ||
          (has(schema, ['multipleOf']) && anywhere(value, (part) => typeof part === 'number' && part >= 1e20)),
      },
      'rules for a property called __proto__ are ignored': {
        proof: ['{"properties":{"__proto__":false}}', '{"__proto__":1}', false],
        applies: (schema) => has(schema, ['__proto__']),
      },
      'objects are compared by their constructor and toString, also where those are data': {
        proof: ['{"const":{"constructor":[]}}', '{"constructor":[]}', true],
        applies: (schema, value) =>
          has(schema, ['const', 'enum', 'uniqueItems']) && has(value, ['constructor', 'toString']),
      },
      'an array too short for prefixItems is not put to the keywords that follow': {
        proof: ['{"prefixItems":[{"type":"null"}],"contains":{}}', '[]', false],
        applies: (schema) => has(schema, ['prefixItems']) && has(schema, ['contains', 'uniqueItems']),
      },
      'what was evaluated is lost or invented where that depends on the value': {
        proof: ['{"contains":{"const":1},"unevaluatedItems":false}', '[1,2]', false],
        applies: (schema) =>
          has(schema, unevaluated) && has(schema, ['anyOf', 'oneOf', 'if', 'dependentSchemas', '$ref', 'contains']),
      },
      'names that every JavaScript object has are taken for evaluated': {
        proof: ['{"patternProperties":{"b":true},"unevaluatedProperties":false}', '{"toString":1}', false],
        applies: (schema, value) =>
          has(schema, ['unevaluatedProperties']) && has(value, ['__proto__', 'constructor', 'toString']),
      },
    },
  },
  cfworker: {
    compile: (schema) => {
      const validator = new Validator(schema, '2020-12')
      return (value) => validator.validate(value).valid
    },
    unheard: {
      'what one schema has evaluated is handed to the schemas beside it': {
        proof: ['{"$ref":"#/$defs/d","allOf":[{"unevaluatedItems":false}],"$defs":{"d":{"items":true}}}', '[1]', false],
        applies: (schema) =>
          has(schema, unevaluated) &&
          (has(schema, ['then', 'else', 'dependentSchemas'], (held) => has(held, [...unevaluated, '$ref'])) ||
            anywhere(
              schema,
              (part) => part?.$ref !== undefined && has(pick(part, branches), [...unevaluated, '$ref']),
            )),
      },
    },
  },
}

/** Whether an object anywhere in the tree has one of the properties, holding what passes the test. */
function has(tree, keys, test = () => true) {
  const isThere = (part) => keys.some((key) => Object.hasOwn(part, key) && test(part[key]))
  return anywhere(tree, (part) => typeof part === 'object' && part !== null && isThere(part))
}

function anywhere(tree, test) {
  if (test(tree)) return true
  return typeof tree === 'object' && tree !== null && Object.values(tree).some((part) => anywhere(part, test))
}

function pick(object, keys) {
  return keys.map((key) => object[key])
}
