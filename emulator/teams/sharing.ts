import { type EmulatorOptions, EmulatorRefusal } from '../options.ts'
import { weaknessOf } from '../secret_strength.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { AuditLog } from './audit.ts'
import { TeamAccess } from './team_access.ts'
import { TeamsFile } from './teams_file.ts'

/** Functions of an emulator that teams share. */
interface Sharing {
  /**
   * Returns the team that owns a world; null: the administrator. In a full name, the team's name comes after the shard
   * and before a dot.
   */
  readonly ownerOf: (name: string) => string | null
  readonly accessTo: (worlds: Worlds) => TeamAccess
  close(): void
}

/** Reads the teams file and opens the audit log. Throws EmulatorRefusal for files or keys that can't be used. */
export async function sharingOf(options: EmulatorOptions): Promise<Sharing> {
  const { teams: path = '', controlToken = '', auditLog, shard = '', onNotice = () => {}, onFault = () => {} } = options
  const fault = weaknessOf(controlToken)
  if (fault !== null) {
    throw new EmulatorRefusal(
      (name) => `With ${name('teams')} the control token is the administrator’s key, and it ${fault}.`,
      (name) => `Give one (openssl rand -hex 20) with ${name('controlToken')}.`,
    )
  }
  const file = await TeamsFile.open(path, onNotice)
  const audit = auditLog === undefined ? null : new AuditLog(auditLog, onFault)
  return {
    ownerOf(name) {
      const own = name.startsWith(`${shard}.`) ? name.slice(shard.length + 1) : name
      const [team = '', ...rest] = own.split('.')
      return rest.length === 0 || file.get(team) === undefined ? null : team
    },
    accessTo(worlds) {
      file.watch()
      return new TeamAccess({ file, worlds, controlToken, audit })
    },
    close() {
      file.close()
      audit?.close()
    },
  }
}
