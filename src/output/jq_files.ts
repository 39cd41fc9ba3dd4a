import { createRequire } from 'node:module'

/** Paths in the source tree. In the bundle .build/jq_files.cjs replaces this file. */
export const workerFile: URL | string = new URL('./jq_worker.ts', import.meta.url)

export const wasmFile: string = createRequire(import.meta.url).resolve('jq-wasm/jq.wasm')
