import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readSheet } from '../../src/sheets/read_sheet.ts'
import { isPayment, startService } from '../commands/payments/service.ts'
import { full } from '../support/full.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startProcess } from '../support/running.ts'

/** A heading, then an endless stream of lines, as fast as they are read. */
async function* endless(line: string): AsyncGenerator<string> {
  yield 'to,amount,description,from\n'
  for (;;) yield line.repeat(2 ** 16)
}

const readAll = async (line: string, signal?: AbortSignal) => {
  const { rows } = await readSheet(endless(line), { signal })
  for await (const { cells } of rows) throw new Error(`A row that is not blank: ${cells}`)
}

// If the reader ignored the signal, a different error would end the reading: too many blank rows.
test.each(['\n', ',\n', ' , , , \r\n'])(
  'the reading of endless lines %j ends once its signal is aborted',
  async (line) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('stopped')), 0)

    await expect(readAll(line, controller.signal)).rejects.toThrow('stopped')
  },
)

test('payments batch ends at SIGTERM while it reads endless lines', async () => {
  const service = await startService()
  const folder = await temporaryDirectory()
  const env = {
    PAYCTL_BASE_URL: service.url,
    PAYCTL_TOKEN: 'token-of-the-test',
    PAYCTL_STATE_DIR: join(folder, 'state'),
    PAYCTL_CONFIG_DIR: join(folder, 'config'),
  }
  const run = startProcess(['payments', 'batch', '-', '--yes'], { env })
  const lines = Readable.from(endless(',,,\n'))
  let accepted = 0
  run.stdin.on('error', () => lines.destroy())
  run.stdin.on('drain', () => {
    accepted += 1
    // payctl has begun to read, because the test has written more than the buffer of a pipe.
    if (accepted === 4) run.kill('SIGTERM')
  })
  lines.pipe(run.stdin)

  const { exitCode, stdout, stderr } = await run

  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: expect.stringContaining('Interrupted.'),
  })
  expect(service.received.filter(isPayment)).toEqual([])
})

test.runIf(full)('more blank rows than a sheet of Excel has rows are refused', { timeout: 300_000 }, async () => {
  await expect(readAll(',,,\n')).rejects.toThrow('The file has more than 1,048,576 blank rows.')
})
