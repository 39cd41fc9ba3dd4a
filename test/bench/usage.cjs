// Writes the resources that the process has used to descriptor 3, as JSON.
process.on('exit', () => require('node:fs').writeSync(3, JSON.stringify(process.resourceUsage())))
