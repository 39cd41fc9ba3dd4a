// Writes the resource usage of the process to descriptor 3, as JSON.
process.on('exit', () => require('node:fs').writeSync(3, JSON.stringify(process.resourceUsage())))
