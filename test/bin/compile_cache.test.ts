import { lstatSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canBeOthers, owner, stranger, TwoUsers } from './two_users.ts'

describe.skipIf(!canBeOthers)('the compile cache', () => {
  it('is not the one in the shared temporary folder, which runs what anybody has put there', async () => {
    const machine = new TwoUsers()
    await machine.plantIn(join(machine.shared, 'node-compile-cache'))
    expect(await machine.trusting({ as: owner })).toMatchObject({ stdout: 'STOLEN' })
    expect(await machine.payctl({ as: owner, env: { HOME: machine.home } })).toMatchObject({ stdout: 'honest' })
  })

  it("is in a folder of the user's own, made for it, where others can't read", async () => {
    const machine = new TwoUsers()
    await machine.payctl({ as: owner, env: { HOME: machine.home } })
    const cache = join(machine.home, '.cache/payctl')
    expect(lstatSync(cache)).toMatchObject({ mode: 0o40700, uid: owner })
    expect(readdirSync(cache)).toHaveLength(1)
    expect(readdirSync(machine.shared)).toEqual([])
  })

  it('is used from there, and from where XDG_CACHE_HOME says', async () => {
    const machine = new TwoUsers()
    await machine.plantIn(join(machine.folder('xdg/payctl', { of: owner, mode: 0o700 })), { as: owner })
    const env = { HOME: machine.home, XDG_CACHE_HOME: machine.folder('xdg', { of: owner, mode: 0o700 }) }
    expect(await machine.payctl({ as: owner, env })).toMatchObject({ stdout: 'STOLEN' })
  })

  it.each<readonly [string, (machine: TwoUsers, cache: string) => void]>([
    ['a stranger can write to', (machine) => machine.folder('xdg/payctl', { of: owner, mode: 0o777 })],
    ['is a link', (machine, cache) => symlinkSync(machine.folder('elsewhere', { of: owner, mode: 0o700 }), cache)],
    [
      "lies in a stranger's",
      (machine) => {
        machine.folder('xdg/payctl', { of: owner, mode: 0o700 })
        machine.folder('xdg', { of: stranger, mode: 0o755 })
      },
    ],
    [
      'a stranger can put another in the place of',
      (machine) => {
        machine.folder('xdg/payctl', { of: owner, mode: 0o700 })
        machine.folder('xdg', { of: owner, mode: 0o777 })
      },
    ],
  ])('is none where its folder is one that %s', async (_, make) => {
    const machine = new TwoUsers()
    const xdg = machine.folder('xdg', { of: owner, mode: 0o700 })
    make(machine, join(xdg, 'payctl'))
    await machine.plantIn(join(xdg, 'payctl'), { as: 0 })
    expect(await machine.payctl({ as: owner, env: { XDG_CACHE_HOME: xdg } })).toMatchObject({ stdout: 'honest' })
  })

  it("is none in a stranger's folder, though root could read it", async () => {
    const machine = new TwoUsers()
    const xdg = machine.folder('xdg', { of: 0, mode: 0o700 })
    const cache = machine.folder('xdg/payctl', { of: stranger, mode: 0o700 })
    await machine.plantIn(cache, { as: 0, victim: 0 })
    expect(await machine.payctl({ as: 0, env: { XDG_CACHE_HOME: xdg } })).toMatchObject({ stdout: 'honest' })
  })

  it.each<readonly [string, number, (machine: TwoUsers) => Record<string, string>]>([
    ['no home', owner, () => ({})],
    [
      'a home that he can only read',
      owner,
      (machine) => ({ HOME: machine.folder('readonly', { of: 0, mode: 0o755 }) }),
    ],
    ['a home that is not there', owner, (machine) => ({ HOME: join(machine.home, 'gone') })],
    ["another's home, as under sudo", 0, (machine) => ({ HOME: machine.home })],
    ['a cache folder without an absolute path', owner, () => ({ XDG_CACHE_HOME: 'cache' })],
  ])('is none, and nothing is made, for a user with %s', async (_, as, envOf) => {
    const machine = new TwoUsers()
    const env = envOf(machine)
    const before = machine.files
    expect(await machine.payctl({ as, env })).toMatchObject({ stdout: 'honest', stderr: '' })
    expect(machine.files).toEqual(before)
  })
})
