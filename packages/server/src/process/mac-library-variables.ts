// The variables by which the dynamic linker of macOS (dyld) loads libraries into every program that is not protected by
// the system, as the LD_ variables do on Linux. Each is a list with colons. Used by trusted-program and the sandbox.

export const MAC_LIBRARY_VARIABLES = [
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'DYLD_FRAMEWORK_PATH',
  'DYLD_FALLBACK_LIBRARY_PATH',
  'DYLD_FALLBACK_FRAMEWORK_PATH',
  'DYLD_VERSIONED_LIBRARY_PATH',
  'DYLD_VERSIONED_FRAMEWORK_PATH',
] as const
