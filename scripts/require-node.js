// Plain JavaScript of an old kind on purpose: it has to run on the very Node that is too old for the rest.
var major = Number(process.versions.node.split('.')[0])
if (major < 26) {
  console.error(
    'Fivetab needs Node 26 or newer, and this is ' +
      process.version +
      '. Run "npm ci" in the project and use its npm scripts and "npx fivetab": they bring their own Node on Linux.',
  )
  process.exit(1)
}
