import type { Ready } from '../../src/config/running_emulators.ts'

/** An emulator that announces itself, alive as long as the tests. */
export const ready = (changes: Partial<Ready> = {}): Ready => {
  const { base_url = 'http://127.0.0.1:4010' } = changes
  return {
    event: 'ready',
    base_url,
    auth_url: base_url,
    token: 'emulator-token',
    client_id: 'payctl',
    client_secret: 'secret',
    control_url: base_url,
    pid: process.pid,
    version: '0.0.0',
    world: '0b9e8f1c-5d1e-4f0a-9a53-3a1c3c0d7f10',
    ...changes,
  }
}
