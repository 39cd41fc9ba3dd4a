import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Jq, loadJq } from 'jq-wasm'
import type { JqResult, JqTask } from './jq.ts'

// Runs in its own thread, because stopping the thread is the only way to stop an endless jq program.

const { wasmFile } = workerData as { readonly wasmFile: string }

const load = async (): Promise<Jq> => loadJq({ wasmBinary: await readFile(wasmFile) })

let loading = load()

parentPort?.on('message', async ({ program, json }: JqTask) => {
  parentPort?.postMessage(await run(program, json))
})

async function run(program: string, json: string): Promise<JqResult | null> {
  const jq = await loading
  try {
    // Runs jq without -r, because the output of -r does not show where a value ends.
    return jq.raw(json, program, ['-c', '--'])
  } catch {
    // jq aborts when its memory is full, and is unusable afterwards.
    loading = load()
    return null
  }
}
