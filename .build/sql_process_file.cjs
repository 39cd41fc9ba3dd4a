// Replaces emulator/store/sql_process_file.ts in the bundles, beside which the program is.
const { join } = require('node:path')

module.exports = { sqlProcessFile: join(__dirname, 'sql_process.cjs') }
