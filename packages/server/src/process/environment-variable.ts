// Looks up a variable in an environment that was copied. For Windows, Path and PATH are the same variable, and a copy of
// process.env does not know that any more. Used by trusted-program, shell-program and edit-text. Pure.

/** The name under which the environment contains the variable; the given name if it does not. */
export function findVariableName(
  env: NodeJS.ProcessEnv,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform !== 'win32' || name in env) return name
  return Object.keys(env).find((each) => each.toUpperCase() === name.toUpperCase()) ?? name
}

export function readVariable(
  env: NodeJS.ProcessEnv,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  return env[findVariableName(env, name, platform)]
}
