// The text of a script, or a program as base64 text: the build and the test runner inline it into the importing module.

declare module '*.sh?raw' {
  const text: string
  export default text
}

declare module '*.base64?raw' {
  const text: string
  export default text
}

declare module '*.cjs?raw' {
  const text: string
  export default text
}
