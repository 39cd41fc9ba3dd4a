import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { startRun } from '../../support/started.ts'
import { scenario } from './scenario.ts'
import { Transcript } from './transcript.ts'

/** Plays the scenario against a separate process. */
async function played(seed: string): Promise<Transcript> {
  const state = await temporaryDirectory()
  const flags = ['--port', '0', '--json', '--rng-seed', seed, '--clock', '2030-01-05T12:00:00Z']
  const emulator = startRun(['emulate', ...flags], { env: { PAYCTL_STATE_DIR: state }, process: true })
  try {
    let ready = ''
    for await (const chunk of emulator.stdout) {
      ready += chunk
      if (ready.includes('\n')) break
    }
    const transcript = new Transcript(JSON.parse(ready).base_url)
    await scenario(transcript)
    return transcript
  } finally {
    emulator.kill('SIGTERM')
    await emulator
  }
}

test('two processes with the same seed give equal answers, byte for byte, and one with another seed does not', async () => {
  const [one, same, other] = await Promise.all([played('7'), played('7'), played('8')])

  expect(one.deliveries.length).toBeGreaterThan(200)
  expect(one.answers.some((answer) => answer.includes(' 500\n'))).toBe(true)
  for (const kind of ['answers', 'deliveries'] as const) {
    for (const [at, said] of one[kind].entries()) expect(same[kind][at], `${kind} ${at}`).toBe(said)
    expect(same[kind]).toHaveLength(one[kind].length)
    expect(other[kind]).not.toEqual(one[kind])
  }
})
