import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Config, configSettings, findProfile, type Profile } from '../../src/config/profile.ts'
import { changeSettings, readSettings } from '../../src/config/settings.ts'
import { configFile } from '../../src/files/directories.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const readConfig = (folder: string) => readSettings(configSettings, folder)
const changeConfig = (folder: string, edit: (config: Config) => Config) => changeSettings(configSettings, folder, edit)

async function folderWith(text: string): Promise<string> {
  const folder = await temporaryDirectory()
  await writeFile(configFile(folder), text)
  return folder
}

const adding =
  (name: string, profile: Profile) =>
  (config: Config): Config => ({ ...config, profiles: { ...config.profiles, [name]: profile } })

describe('the config file', () => {
  it('is an empty configuration where there is none, and is not made by reading', async () => {
    const folder = await temporaryDirectory()
    expect(readConfig(join(folder, 'none'))).toEqual({ profiles: {} })
    expect(await readdir(folder)).toEqual([])
  })

  it.each([
    ['', 'it is not JSON'],
    ['{"profiles": {', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{"version": "1"}', 'version must be a number'],
    ['{"version": 2}', 'newer payctl'],
    ['{"version": 1e9, "profiles": []}', 'newer payctl'],
    ['{"current": 1}', 'current is not a string'],
    ['{"profiles": []}', 'profiles is not an object'],
    ['{"profiles": {"a": 1}}', 'profile a is not an object'],
    ['{"profiles": {"a": {"base_url": 1}}}', 'base_url of profile a is not a string'],
    ['{"profiles": {"__proto__": null}}', 'profile __proto__ is not an object'],
  ])('that holds %s is refused, and left as it is', async (text, message) => {
    const folder = await folderWith(text)
    const refusal = expect.objectContaining({
      exit: 'usage',
      message: expect.stringMatching(`^The config file ${configFile(folder)} .*${message}`),
      hint: expect.any(String),
    })
    expect(() => readConfig(folder)).toThrow(refusal)
    await expect(changeConfig(folder, (config) => config)).rejects.toEqual(refusal)
    expect(await readFile(configFile(folder), 'utf8')).toBe(text)
  })

  it('that is a folder is refused', async () => {
    const folder = await temporaryDirectory()
    await mkdir(configFile(folder))
    expect(() => readConfig(folder)).toThrow("can't be read")
  })

  it('may have been edited: without a version, with a byte order mark, with spaces', async () => {
    const folder = await folderWith('\uFEFF { "profiles" : { "a" : { } } } \r\n')
    await changeConfig(folder, adding('b', { base_url: 'https://b.example' }))
    expect(readConfig(folder).profiles).toEqual({ a: {}, b: { base_url: 'https://b.example' } })
  })

  it('keeps what a later payctl has put there', async () => {
    const later = { version: 1, theme: { dark: true }, profiles: { a: { base_url: 'https://a.example', proxy: 'p' } } }
    const folder = await folderWith(JSON.stringify(later))
    await changeConfig(folder, (config) => ({
      current: 'a',
      profiles: { ...config.profiles, a: { ...findProfile(config, 'a'), client_id: 'me' } },
    }))
    expect(JSON.parse(await readFile(configFile(folder), 'utf8'))).toEqual({
      ...later,
      current: 'a',
      profiles: { a: { ...later.profiles.a, client_id: 'me' } },
    })
  })

  it('is written through a link, which stays one', async () => {
    const folder = await temporaryDirectory()
    const elsewhere = join(await temporaryDirectory(), 'dotfile.json')
    await writeFile(elsewhere, '{}')
    await symlink(elsewhere, configFile(folder))
    await changeConfig(folder, adding('a', { base_url: 'https://a.example' }))
    expect((await lstat(configFile(folder))).isSymbolicLink()).toBe(true)
    expect(JSON.parse(await readFile(elsewhere, 'utf8'))).toMatchObject({ version: 1 })
  })

  it('stays as it is when the change fails', async () => {
    const folder = await folderWith('{}')
    const failing = changeConfig(folder, () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await readFile(configFile(folder), 'utf8')).toBe('{}')
  })

  it('holds profiles of any name, and finds no others', async () => {
    const name = fc.oneof(
      fc.stringMatching(/^\w[\w.-]{0,63}$/),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'a.b', 'a[0]', '__internal__', '0'),
    )
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 5 }), name, async (names, other) => {
        const folder = await temporaryDirectory()
        for (const each of names) await changeConfig(folder, adding(each, { base_url: `https://${each}` }))
        const config = readConfig(folder)
        expect(Object.keys(config.profiles).sort()).toEqual([...names].sort())
        for (const each of names) expect(findProfile(config, each)).toEqual({ base_url: `https://${each}` })
        if (!names.includes(other) && other !== 'default') expect(findProfile(config, other)).toBeUndefined()
      }),
      { numRuns: 25 },
    )
  })
})
