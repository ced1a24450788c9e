// The text of a shell script: the build and the test runner inline it into the importing module.

declare module '*.sh?raw' {
  const text: string
  export default text
}
