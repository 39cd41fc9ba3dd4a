import { type Static, Type } from 'typebox'
import { chaosKindNames, chaosProfileNames, largestChaosSeed } from '../chaos_names.ts'
import { ChaosProfile } from '../chaos_profile.ts'
import { endpoint } from '../endpoint.ts'
import { controlErrors } from '../errors.ts'
import { closed, described, nullable } from '../schemas/scalars.ts'

const Seed = Type.Integer({
  minimum: 0,
  maximum: largestChaosSeed,
  description: 'Where the draws start: the same faults for the same requests in the same order',
})

/** `profile` defaults to `mild`. */
export const ChaosBody = closed({
  seed: Seed,
  profile: Type.Optional(
    Type.Union([Type.Enum(chaosProfileNames), ChaosProfile], {
      description: 'How often what goes wrong: a profile that has a name, or one’s own. `mild` where it is left out',
    }),
  ),
})
export type ChaosBody = Static<typeof ChaosBody>

const ChaosCount = Type.Object({
  kind: Type.Enum(chaosKindNames, { description: 'What can happen' }),
  chances: Type.Integer({ minimum: 0, description: 'Requests or deliveries that it could have happened to' }),
  fired: Type.Integer({ minimum: 0, description: 'How often it happened' }),
})
export type ChaosCount = Static<typeof ChaosCount>

/** `seed` and `profile` are null without chaos. */
export const ChaosState = Type.Object({
  seed: described(nullable(Seed), 'Where the draws started; null without chaos'),
  profile: described(
    nullable(Type.Enum([...chaosProfileNames, 'custom'])),
    'The profile’s name, `custom` for one’s own; null without chaos',
  ),
  counts: Type.Array(ChaosCount, { description: 'Every kind that the profile has' }),
})
export type ChaosState = Static<typeof ChaosState>

export const chaosEndpoints = {
  'control.chaos': endpoint({
    method: 'GET',
    path: '/_emulator/chaos',
    summary: 'The chaos that the world was made with, and what has come of it',
    description:
      'A world gets it when it is made, or from its emulator. What callers made of it is in the report: payments made twice, lost answers that nobody asked about.',
    access: 'control',
    success: { status: 200, message: 'Chaos read', data: ChaosState },
    errors: controlErrors,
  }),
} as const
