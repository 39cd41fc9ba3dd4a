// The bundle would make a copy of node:process for commander's `import process from`.
export default process
