import { createRequire } from 'node:module'

/** In the source tree. The build puts both beside the bundle: .build/jq_files.cjs stands in for this file. */
export const workerFile: URL | string = new URL('./jq_worker.ts', import.meta.url)

export const wasmFile: string = createRequire(import.meta.url).resolve('jq-wasm/jq.wasm')
