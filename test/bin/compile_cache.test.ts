import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Installation } from './installation.ts'
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
    expect(readdirSync(cache)).toHaveLength(2)
    expect(readdirSync(machine.shared)).toEqual([])
  })

  it('is used from there, and from where XDG_CACHE_HOME says', async () => {
    const machine = new TwoUsers()
    await machine.plantInCache(machine.folder('xdg/payctl', { of: owner, mode: 0o700 }), { as: owner })
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
    await machine.plantInCache(join(xdg, 'payctl'), { as: 0 })
    expect(await machine.payctl({ as: owner, env: { XDG_CACHE_HOME: xdg } })).toMatchObject({ stdout: 'honest' })
  })

  it("is none in a stranger's folder, though root could read it", async () => {
    const machine = new TwoUsers()
    const xdg = machine.folder('xdg', { of: 0, mode: 0o700 })
    const cache = machine.folder('xdg/payctl', { of: stranger, mode: 0o700 })
    await machine.plantInCache(cache, { as: 0, victim: 0 })
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

/** Prints its argument, and ends when stdin ends. */
const bundle = `exports.main = (argv, env, io) => new Promise((done) => {
  io.stdout.write(argv[0])
  io.stdin.resume().on('end', () => done(0))
})`

/** An installation, run with this home folder; default: the folder of the installation. */
function installed(home?: string) {
  const installation = new Installation(bundle)
  const own = { HOME: home ?? installation.folder, XDG_CACHE_HOME: '' }
  const cache = join(own.HOME, '.cache/payctl')
  const start = () => installation.run(['done'], { env: own })
  return {
    home: own.HOME,
    cache,
    start,
    run: () => {
      const running = start()
      running.stdin.end()
      return running
    },
    /** Has the effect of a build, without the second that a build takes. */
    rebuild() {
      const file = join(installation.folder, 'dist/cli/main.cjs')
      const before = statSync(file)
      writeFileSync(file, bundle)
      utimesSync(file, before.atime, new Date(before.mtimeMs + 1000))
    },
    uninstall: () => rmSync(join(installation.folder, 'dist'), { recursive: true }),
  }
}

type User = ReturnType<typeof installed>

/** Number of compiled files in the compile cache for each build. */
const compiled = ({ cache }: User): Record<string, number> =>
  Object.fromEntries(
    readdirSync(cache, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, readdirSync(join(cache, name), { recursive: true }).length - 1]),
  )

const ended = { exitCode: 0, stdout: 'done', stderr: '' }

describe('the compile cache of a build', () => {
  it('is removed by the first run of the next one', async () => {
    const user = installed()
    expect(await user.run()).toMatchObject(ended)
    const before = compiled(user)
    expect(Object.values(before)).toEqual([expect.toSatisfy((files: number) => files > 0)])
    expect(await user.run()).toMatchObject(ended)
    expect(compiled(user)).toEqual(before)

    user.rebuild()
    expect(await user.run()).toMatchObject(ended)
    const after = compiled(user)
    expect(Object.values(after)).toEqual(Object.values(before))
    expect(Object.keys(after)).not.toEqual(Object.keys(before))
    expect(readdirSync(user.cache)).toHaveLength(2)
  })

  it('stays for another installation until that is gone from the disk', async () => {
    const user = installed()
    const other = installed(user.home)
    other.rebuild()
    await Promise.all([user.run(), other.run()])
    expect(Object.keys(compiled(user))).toHaveLength(2)
    user.rebuild()
    await user.run()
    expect(Object.keys(compiled(user))).toHaveLength(2)
    other.uninstall()
    user.rebuild()
    await user.run()
    expect(Object.keys(compiled(user))).toHaveLength(1)
  })

  it('is all that is removed', async () => {
    const user = installed()
    await user.run()
    const others = ['notes/file', '0.1.0-mine/file', 'v26/file', '0.1.0-text.bundle', '0.1.0-text/file', 'text/file']
    for (const path of others) {
      mkdirSync(join(user.cache, path, '..'), { recursive: true })
      writeFileSync(join(user.cache, path), 'of somebody else')
    }
    mkdirSync(join(user.cache, '0.1.0-folder.bundle'))
    symlinkSync(join(user.cache, 'text'), join(user.cache, '0.1.0-link'))
    for (const name of ['0.1.0-link', 'notes']) {
      writeFileSync(join(user.cache, `${name}.bundle`), join(user.home, 'gone'))
    }
    const kept = [...others, '0.1.0-folder.bundle', 'notes.bundle']

    user.rebuild()
    expect(await user.run()).toMatchObject(ended)
    const left = readdirSync(user.cache, { recursive: true, encoding: 'utf8' })
    expect(left).toEqual(expect.arrayContaining(kept))
    expect(left).not.toContain('0.1.0-link')
    expect(Object.values(compiled(user)).filter((files) => files > 0)).toHaveLength(1)
  })

  it('is made once by processes that start at once, while one of the build before still runs', async () => {
    const user = installed()
    const before = user.start()
    await once(before.stdout, 'data')
    user.rebuild()
    const runs = await Promise.all(Array.from({ length: 8 }, () => user.run()))
    expect(runs).toEqual(runs.map(() => expect.objectContaining(ended)))
    before.stdin.end()
    expect(await before).toMatchObject(ended)
    expect(Object.values(compiled(user))).toEqual([expect.toSatisfy((files: number) => files > 0)])
  })
})
