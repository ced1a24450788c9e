// Lists the packages that npm installs with this package: direct and transitive dependencies by the lockfile. `npm --omit
// dev` also omits those that a development package needs.

/** By path in node_modules. */
export function installedPackages({ packages }) {
  const paths = new Set([''])
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path]
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      paths.add(resolvePackage(name, path, packages))
    }
  }
  paths.delete('')
  return Object.fromEntries([...paths].sort().map((path) => [path, packages[path]]))
}

/** Resolves a package like Node.js. */
function resolvePackage(name, from, packages) {
  let folder = from
  while (folder !== '' && !packages[`${folder}/node_modules/${name}`]) {
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  }
  return folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
}
