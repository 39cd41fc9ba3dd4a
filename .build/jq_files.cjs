// Stands in for src/output/jq_files.ts: both files lie beside the bundle.
const { join } = require('node:path')

module.exports = { workerFile: join(__dirname, 'jq_worker.cjs'), wasmFile: join(__dirname, 'jq.wasm') }
