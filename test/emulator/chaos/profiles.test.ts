import { describe, expect, it } from 'vitest'
import schema from '../../../docs/reference/chaos-profile.schema.json' with { type: 'json' }
import { ChaosProfile, chaosKindNames, chaosProfiles } from '../../../src/contract/index.ts'
import { type ChaosOption, EmulatorRefusal, ProfileRefusal, startEmulator } from '../../../src/testing/index.ts'
import { startWorld } from '../control/world.ts'
import { fileWith } from '../seed_file/seeded.ts'

const refusalOf = async (chaos: unknown): Promise<string> => {
  const error = await startEmulator({ chaos: chaos as ChaosOption }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(EmulatorRefusal)
  return (error as Error).message
}

describe('a chaos profile', () => {
  it('is published as a schema, which has every kind and says what it is', () => {
    expect(Object.keys(schema.properties)).toEqual(Object.keys(ChaosProfile.properties))
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...chaosKindNames]))
    for (const member of Object.values(schema.properties)) expect(member.description).toBeTruthy()
  })

  it.each(Object.entries(chaosProfiles))('%s has a share for each kind', (_, profile) => {
    expect(chaosKindNames.filter((kind) => !profile[kind])).toEqual([])
  })

  it('in a file says where it is wrong, by line, column and path', async () => {
    const profileFile = fileWith(`lost_answers: 0.1
lost_answer: 0.1
resets: 2
late_ms: soon
`)
    const error = await startEmulator({ chaos: { seed: 1, profileFile } }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProfileRefusal)
    expect((error as ProfileRefusal).message.split('\n')).toEqual([
      `${profileFile} has 3 faults; nothing was made from it.`,
      expect.stringMatching(/:2:14: lost_answer: is not a known field; known: lost_answers, /),
      expect.stringMatching(/:3:9: resets: must be at most 1$/),
      expect.stringMatching(/:4:10: late_ms: must be a whole number$/),
    ])
  })

  it('has shares of one thing that are 1 at most together', async () => {
    const profileFile = fileWith('unavailable: 0.6\nresets: 0.5\nlate_deliveries: 1\n')
    expect(await refusalOf({ seed: 1, profileFile })).toContain(
      ':1:14: unavailable: the shares of resets, unavailable are 1.1 together; all requests are 1',
    )
    expect(await refusalOf({ seed: 1, profile: { lost_answers: 0.6, cut_answers: 0.6 } })).toContain('1.2 together')
  })

  it('in an existing file is accepted, and a refusal names the other ways to give one', async () => {
    const here = await startWorld({ chaos: { seed: 1, profileFile: fileWith('too_many_requests: 1\n') } })
    await expect(here.client.call('user.get')).rejects.toMatchObject({ status: 429 })
    expect(await refusalOf({ seed: -1 })).toMatch(/The option chaos takes \{ seed, profile \}: an integer from 0/)
    expect(await refusalOf({ seed: 1, profile: 'wild' })).toMatch(/mild, hostile or an object/)
    const wrong: readonly (readonly [unknown, string])[] = [
      ['hostile', "'hostile'"],
      [{ seed: -1 }, '-1 as seed'],
      [{ seed: '7' }, "'7' as seed"],
      [{ profile: 'mild' }, 'no seed'],
      [{ seed: 1, profile: 'wild' }, "'wild' as profile"],
      [{ seed: 1, profile: null }, 'null as profile'],
      [{ seed: 1, profile: [] }, 'a list as profile'],
      [{ seed: 1, profileFile: 7 }, '7 as profileFile'],
      [{ seed: 1, profle: 'hostile' }, "another member, 'profle'"],
    ]
    for (const [chaos, got] of wrong) expect(await refusalOf(chaos)).toMatch(new RegExp(`, but got ${got}\\.$`))
    expect(await refusalOf({ seed: 1, profile: 'mild', profileFile: 'x' })).toBe(
      'Both a profile and a profile file are given.',
    )
    expect(await refusalOf({ seed: 1, profileFile: '/nowhere/x.yaml' })).toMatch(/can’t be read/)
  })

  it('of a world is checked as well, over HTTP and by the library', async () => {
    const { ask, emulator } = await startWorld()
    const wrong = { seed: 1, profile: { lost_answers: 0.6, cut_answers: 0.6 } }
    expect((await ask('control.worlds.create', { body: { chaos: wrong } })).body.errors).toEqual({
      'chaos.profile.cut_answers': [expect.stringContaining('1.2 together')],
    })
    const misspelt = { seed: 1, profile: { lost_answer: 0.6 } }
    expect((await ask('control.worlds.create', { body: { chaos: misspelt } })).body.errors).toEqual({
      'chaos.profile.lost_answer': ['The chaos.profile.lost_answer field does not exist.'],
    })
    await using library = await startEmulator()
    await using world = await library.world({ chaos: { seed: 1, profile: { too_many_requests: 1 } } })
    await expect(world.client.with({ calm: false }).call('user.get')).rejects.toMatchObject({ status: 429 })
    expect(await world.control.chaos()).toMatchObject({ seed: 1, profile: 'custom' })
    expect(emulator.report().chaos).toEqual({ seed: null, profile: null, counts: [], faults: [] })
  })
})
