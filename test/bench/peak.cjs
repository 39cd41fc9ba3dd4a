// Writes the maximum memory of the process to descriptor 3, in KiB.
process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)))
