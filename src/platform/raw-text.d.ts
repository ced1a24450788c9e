// A shell script as text: the build and the test runner put it into the module that imports it.

declare module '*.sh?raw' {
  const text: string
  export default text
}
