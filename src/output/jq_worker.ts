import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Jq, loadJq } from 'jq-wasm'
import type { JqResult, JqTask } from './jq.ts'
import { outOfMemory } from './jq_memory.ts'

// A thread of its own, because jq runs to its end once it has begun: nothing else could stop a program that never ends.

const { wasmFile } = workerData as { readonly wasmFile: string }

const load = async (): Promise<Jq> => loadJq({ wasmBinary: await readFile(wasmFile) })

let loading = load()

parentPort?.on('message', async ({ program, json }: JqTask) => {
  parentPort?.postMessage(await run(program, json))
})

async function run(program: string, json: string): Promise<JqResult> {
  const jq = await loading
  try {
    // Without -r: only the values' own text tells where one ends and the next begins.
    return jq.raw(json, program, ['-c', '--'])
  } catch {
    // jq aborts when its memory is full, and is of no use afterwards.
    loading = load()
    return { stdout: '', stderr: `jq: error: ${outOfMemory}`, exitCode: 5 }
  }
}
