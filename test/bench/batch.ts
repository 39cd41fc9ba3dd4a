import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, type Row } from './ratio.ts'
import { payctl, type ServerProcess, startServer } from './server_process.ts'

/** For a quick trial with fewer rows: `BATCH_ROWS=10000 npm run bench -- batch`. */
const sizes = { baseline: 1_000, candidate: Number(process.env.BATCH_ROWS ?? 100_000) }

/** Peak memory of a large batch, compared with that of a small one. */
export async function batchRows(): Promise<Row[]> {
  return [
    await compare({
      what: `payments batch of ${sizes.candidate} rows, peak memory`,
      unit: 'MiB',
      budget: 1.3,
      better: 'less',
      rounds: 1,
      warm: false,
      baseline: () => peakOf(sizes.baseline),
      candidate: () => peakOf(sizes.candidate),
    }),
  ]
}

/** Runs each batch against a separate emulator, without rows of another. */
async function peakOf(rows: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const emulator = await startServer(() => emulate)
  try {
    const file = join(folder, 'payments.csv')
    await write(file, rows)
    return await peakOfRun(file, folder, emulator)
  } finally {
    await emulator.stop()
    rmSync(folder, { recursive: true })
  }
}

const emulate = [payctl, 'emulate', '--json', '--port', '0', '--settle', 'instant', '--rate-limit', 'off']

async function write(file: string, rows: number): Promise<void> {
  const stream = createWriteStream(file)
  stream.write('to,amount,description,from,reference\n')
  for (let row = 1; row <= rows; row++) {
    const line = `87000001,0.01,Payment ${row} of the benchmark,01900000-0000-7000-8000-0000000000c1,${row}\n`
    if (!stream.write(line)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}

/** MiB, as the process itself measured at its end. */
async function peakOfRun(file: string, folder: string, { ready }: ServerProcess): Promise<number> {
  const args = ['payments', 'batch', file, '--yes', '--output-file', join(folder, 'result.csv')]
  const child = spawn(process.execPath, ['--require', join(import.meta.dirname, 'peak.cjs'), payctl, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PAYCTL_STATE_DIR: join(folder, 'state'),
      PAYCTL_BASE_URL: String(ready.base_url),
      PAYCTL_TOKEN: String(ready.token),
    },
  })
  let [told, peak] = ['', '']
  child.stderr?.on('data', (chunk) => (told += chunk))
  child.stdio[3]?.on('data', (chunk: Buffer) => (peak += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The batch exited ${code}: ${told}`)
  return Number(peak) / 1024
}
