import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, type Row } from './ratio.ts'
import { payctl, type ServerProcess, startServer } from './server_process.ts'

/** Fewer rows make a quick trial: `BATCH_ROWS=10000 npm run bench -- batch`. */
const largest = Number(process.env.BATCH_ROWS ?? 100_000)

/**
 * Numbers of rows. `small` and `large`: batches whose memory is compared. `earlier`: payments made on the same day before
 * a dry run. `checked`: rows of the batches whose CPU time is compared.
 */
const sizes = { small: 1_000, large: largest, earlier: largest / 2, checked: largest / 20 }

/** Measures peak memory and CPU time of payctl's batches. */
export async function batchRows(): Promise<Row[]> {
  return [await memoryOfRows(), await dryRunAfterMany(), await sendingUnderLimits()]
}

/** Peak memory of a large batch, compared with the peak memory of a small batch. */
const memoryOfRows = (): Promise<Row> =>
  compare({
    what: `payments batch of ${sizes.large} rows, peak memory`,
    unit: 'MiB',
    budget: 1.3,
    better: 'less',
    rounds: 1,
    warm: false,
    baseline: () => peakOf(sizes.small),
    candidate: () => peakOf(sizes.large),
  })

async function peakOf(rows: number): Promise<number> {
  await using machine = await openMachine()
  return (await machine.batch(rows)).peak
}

/**
 * CPU time of a dry run under limits if the journal already contains many payments of that day, compared with an empty
 * journal.
 */
async function dryRunAfterMany(): Promise<Row> {
  await using first = await openMachine({ isLimited: true })
  await using later = await openMachine({ isLimited: true })
  await later.batch(sizes.earlier)
  return await compare({
    what: `dry run of ${sizes.checked} rows after ${sizes.earlier} of today, CPU`,
    unit: 'ms',
    budget: 2,
    better: 'less',
    rounds: 3,
    baseline: async () => (await first.batch(sizes.checked, '--dry-run')).cpu,
    candidate: async () => (await later.batch(sizes.checked, '--dry-run')).cpu,
  })
}

/** CPU time of sending with limits, compared with sending without limits. */
async function sendingUnderLimits(): Promise<Row> {
  await using free = await openMachine()
  await using limited = await openMachine({ isLimited: true })
  return await compare({
    what: `payments batch of ${sizes.checked} rows under limits, CPU`,
    unit: 'ms',
    budget: 1.15,
    better: 'less',
    rounds: 5,
    baseline: async () => (await free.batch(sizes.checked)).cpu,
    candidate: async () => (await limited.batch(sizes.checked)).cpu,
  })
}

const emulate = [payctl, 'emulate', '--json', '--port', '0', '--settle', 'instant', '--rate-limit', 'off']

/** An emulator, and a journal that only its batches use. */
async function openMachine({ isLimited = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const emulator = await startServer(() => emulate)
  const run = (...args: readonly string[]) => usageOf(args, folder, emulator)
  let batches = 0
  if (isLimited) await run('limits', 'set', '--per-day', '100000', 'CRC')
  return {
    /** Runs a batch whose payments are all new. */
    async batch(rows: number, ...flags: readonly string[]) {
      batches += 1
      const file = join(folder, `payments-${batches}.csv`)
      await write(file, rows, batches)
      const mode = flags.length > 0 ? flags : ['--yes', '--output-file', join(folder, `result-${batches}.csv`)]
      return await run('payments', 'batch', file, ...mode)
    },
    async [Symbol.asyncDispose]() {
      await emulator.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function write(file: string, rows: number, batch: number): Promise<void> {
  const stream = createWriteStream(file)
  stream.write('to,amount,description,from,reference\n')
  for (let row = 1; row <= rows; row++) {
    const text = `Payment ${row} of benchmark ${batch}`
    const line = `87000001,0.01,${text},01900000-0000-7000-8000-0000000000c1,${row}\n`
    if (!stream.write(line)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}

/** Peak memory in MiB and CPU time in ms, as the process itself measured at its end. */
async function usageOf(args: readonly string[], folder: string, { ready }: ServerProcess) {
  const child = spawn(process.execPath, ['--require', join(import.meta.dirname, 'usage.cjs'), payctl, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PAYCTL_STATE_DIR: join(folder, 'state'),
      PAYCTL_CONFIG_DIR: join(folder, 'config'),
      PAYCTL_BASE_URL: String(ready.base_url),
      PAYCTL_TOKEN: String(ready.token),
    },
  })
  let [errors, usage] = ['', '']
  child.stderr?.on('data', (chunk) => (errors += chunk))
  child.stdio[3]?.on('data', (chunk: Buffer) => (usage += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`payctl ${args[0]} ${args[1]} exited ${code}: ${errors}`)
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage) as NodeJS.ResourceUsage
  return { peak: maxRSS / 1024, cpu: (userCPUTime + systemCPUTime) / 1000 }
}
