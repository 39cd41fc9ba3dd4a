import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { type Announcement, announce } from '../../src/config/running_emulators.ts'

/** The announcement of an emulator that lives as long as the tests. */
export const ready = (changes: Partial<Announcement> = {}): Announcement => {
  const { base_url = 'http://127.0.0.1:4010' } = changes
  return {
    event: 'ready',
    base_url,
    auth_url: base_url,
    token: 'emulator-token',
    client_id: 'payctl',
    client_secret: 'secret',
    identity_secret: 'identity',
    control_url: base_url,
    local_url: base_url,
    host: '127.0.0.1',
    pid: process.pid,
    version: '0.0.0',
    world: '0b9e8f1c-5d1e-4f0a-9a53-3a1c3c0d7f10',
    user_id: '7c1a5b1e-6f0e-4b7e-8d0a-1f7c8f0b2a11',
    accounts: [],
    since: '2026-11-20T12:00:00.000Z',
    process_start: null,
    ...changes,
  }
}

/** The announcement of an emulator in this process. */
export const announcementOf = (emulator: Emulator, changes: Partial<Announcement> = {}): Announcement =>
  ready({
    base_url: emulator.baseUrl,
    token: emulator.token,
    client_secret: emulator.clientSecret,
    identity_secret: emulator.identitySecret,
    world: emulator.worldId,
    ...changes,
  })

/** Writes announcements. The last announcement is the newest, even if all are written in the same millisecond. */
export function announceAll(stateDir: string, announcements: readonly Announcement[]): void {
  for (const [at, announcement] of announcements.entries()) {
    announce(stateDir, announcement)
    utimesSync(join(stateDir, 'emulators', `${announcement.pid}.json`), at + 1, at + 1)
  }
}

/** Two emulators, which the caller closes, and their announcements with ids of running processes. */
export async function startTwo() {
  const emulators = await Promise.all([startEmulator(), startEmulator()])
  const [one, other] = emulators
  return {
    one,
    other,
    first: announcementOf(one),
    /** The newer one. */
    second: announcementOf(other, { pid: process.ppid }),
    close: async () => {
      await Promise.all(emulators.map((emulator) => emulator.close()))
    },
  }
}
