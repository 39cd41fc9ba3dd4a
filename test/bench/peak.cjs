// Says on descriptor 3 how much memory the process has taken at most, in KiB.
process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)))
