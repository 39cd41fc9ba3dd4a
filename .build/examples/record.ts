import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MachineTime, machineTime } from '../../emulator/clock.ts'
import { buildServer } from '../../emulator/server.ts'
import { sharingOf } from '../../emulator/teams/sharing.ts'
import type { ReadOptions } from '../../emulator/worlds/world_options.ts'
import { Worlds } from '../../emulator/worlds/worlds.ts'
import type { Examples } from '../../src/contract/openapi/components.ts'
import { steer } from './control_session.ts'
import { recordOthers } from './derived.ts'
import { FixedValues } from './fixed_values.ts'
import { useOAuth } from './oauth_session.ts'
import { Recorder, type Recording } from './recorder.ts'
import { useService } from './service_session.ts'

/**
 * Time at which the emulator's worlds start; the times in the documentation begin with it. The worlds' clocks stand
 * still.
 */
const moment = Date.UTC(2026, 0, 5, 18)
const stillTime: MachineTime = { ...machineTime, now: () => moment }

/** Records the emulator's answers in fixed sessions; every run gives the same result. */
export async function recordExamples(): Promise<Examples> {
  const fixed = new FixedValues()
  const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const receiverUrl = `http://127.0.0.1:${port}/webhooks`
  fixed.replace(receiverUrl, 'https://example.com/webhooks')
  try {
    return fixed.applyTo(await recordSessions(receiverUrl, fixed))
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}

async function recordSessions(receiverUrl: string, fixed: FixedValues): Promise<Examples> {
  const recordings: Record<string, Recording> = {}
  const session = (options: ReadOptions, work: (recorder: Recorder) => Promise<unknown>) =>
    withEmulator(recordings, options, work)
  await session({}, async (recorder) => {
    await useService(recorder, { receiver: receiverUrl, fixed })
    await useOAuth(recorder, fixed)
    await recordOthers(recorder, recordings)
    await steer(recorder, fixed)
  })
  await session({ controlToken: 'secret' }, (recorder) => recorder.call('control.state', { status: 401 }))
  await session({ rateLimit: 0 }, (recorder) => recorder.call('user.get', { status: 429 }))
  await reachLimit(session)
  return recordings
}

/** Records the refusal of a team that has reached a limit. */
async function reachLimit(
  session: (options: ReadOptions, work: (recorder: Recorder) => Promise<unknown>) => Promise<void>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-docs-'))
  const [teams, key] = [join(folder, 'teams.json'), 'payments.key-of-the-documentation']
  const keys = { ci: hash('sha256', key) }
  writeFileSync(teams, JSON.stringify({ teams: { payments: { keys, quotas: { requests_per_minute: 2 } } } }))
  await session({ teams, controlToken: 'administrator-of-the-documentation' }, async (recorder) => {
    const headers = { Authorization: `Bearer ${key}` }
    for (const _ of [1, 2]) await recorder.call('control.worlds.list', { headers, isExample: false })
    await recorder.call('control.worlds.list', { headers, status: 429 })
  })
  rmSync(folder, { recursive: true })
}

async function withEmulator(
  recordings: Record<string, Recording>,
  options: ReadOptions,
  work: (recorder: Recorder) => Promise<unknown>,
): Promise<void> {
  const { teams: file, controlToken } = options
  const sharing =
    file === undefined ? undefined : await sharingOf({ teams: file, ...(controlToken && { controlToken }) })
  const owner = sharing && { owner: sharing.ownerOf }
  const worlds = new Worlds({ settle: 'manual', machineTime: stillTime, ...owner, ...options })
  const teams = sharing?.accessTo(worlds)
  const server = buildServer({ worlds, controlToken, teams, identitySecret: 'known to both' })
  try {
    await work(new Recorder(server, worlds.options.token, recordings))
  } finally {
    sharing?.close()
    await server.close()
    await worlds.close()
  }
}
