// Replaces src/output/jq_files.ts in the bundle, beside which both files are.
const { join } = require('node:path')

module.exports = { workerFile: join(__dirname, 'jq_worker.cjs'), wasmFile: join(__dirname, 'jq.wasm') }
