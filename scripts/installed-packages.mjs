// What npm installs with this package: what our dependencies lead to, and theirs, as the lockfile has it. npm's own
// `--omit dev` leaves out those that something for development needs too.

/** By their place in node_modules. */
export function installedPackages({ packages }) {
  const paths = new Set([''])
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path]
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      paths.add(placeOf(name, path, packages))
    }
  }
  paths.delete('')
  return Object.fromEntries([...paths].sort().map((path) => [path, packages[path]]))
}

/** Where Node would find it. */
function placeOf(name, from, packages) {
  let folder = from
  while (folder !== '' && !packages[`${folder}/node_modules/${name}`]) {
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  }
  return folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
}
