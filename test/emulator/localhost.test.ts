import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'

/** Addresses of `localhost`, as on most machines. */
const both = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
const lookup = vi.hoisted(() => vi.fn())
vi.mock('node:dns/promises', async (original) => ({ ...(await original<object>()), lookup }))

describe('an emulator at localhost', () => {
  it('does not start if another program has its port at one of the two addresses', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    other.listen(0, '::1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    lookup.mockResolvedValue(both)
    await expect(startEmulator({ host: 'localhost', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    const afterwards = await startEmulator({ host: '127.0.0.1', port })
    await afterwards.close()
  })

  it('starts if the name has an address twice, as a hosts file may say', async () => {
    lookup.mockResolvedValue([...both, ...both])
    const emulator = await startEmulator({ host: 'localhost' })
    onTestFinished(() => emulator.close())
    expect((await fetch(`${emulator.baseUrl}/_emulator/health`)).status).toBe(200)
  })

  it('starts on a machine that has only one of the two addresses', async () => {
    lookup.mockResolvedValue([...both, { address: '2001:db8::1', family: 6 }])
    const emulator = await startEmulator({ host: 'localhost' })
    onTestFinished(() => emulator.close())
    expect((await fetch(`${emulator.baseUrl}/_emulator/health`)).status).toBe(200)
  })
})
