// The package has no types; its interface is checked when it is loaded.
declare module 'libheif-js/wasm-bundle.js'
