import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Audit } from '../../../src/audit/audit.ts'
import { openJournal } from '../../../src/journal/journal.ts'
import { changeProfile } from '../../../src/limits/change.ts'
import type { ProfileLimits } from '../../../src/limits/limits.ts'
import { machine } from '../machine/machine.ts'
import type { Place, PlaceLimits } from '../script/places.ts'

/** Writes the limits that a place has from the start. */
export function writeLimits({ profile, limits }: Place, folder: string): void {
  if (!limits) return
  const file = { version: 1, profiles: { [profile]: profileLimits(limits) } }
  writeFileSync(join(folder, 'limits.json'), JSON.stringify(file))
}

/** Limits in the form of the limits file. */
const profileLimits = (limits: PlaceLimits): Omit<ProfileLimits, 'profile'> => ({
  ...{ services: [], users: null, per_day: { CRC: limits.perDay } },
  ...(limits.perPayment !== undefined && { per_payment: { CRC: limits.perPayment } }),
  ...(limits.perPayeeDay !== undefined && { per_payee_day: { CRC: limits.perPayeeDay } }),
  ...(limits.hours !== undefined && { hours: limits.hours }),
  ...(limits.readOnly && { read_only: true }),
})

/** Changes limits: a person agrees to looser limits, and a line is added to the audit file. */
export async function changeLimits(limits: PlaceLimits, { profile }: Place, folder: string): Promise<void> {
  const journal = openJournal(folder)
  const audit = new Audit(folder)
  try {
    await changeProfile({
      ...{ profile, journal, configDir: folder, signal: new AbortController().signal },
      to: () => ({ profile, ...profileLimits(limits) }),
      async agreeToLoosen() {
        audit.add({ event: 'loosened', profile, what: JSON.stringify(limits), decided_by: 'typed' }, { durable: true })
      },
    })
  } finally {
    audit.close()
    if (machine.process?.alive) journal.close()
  }
}
