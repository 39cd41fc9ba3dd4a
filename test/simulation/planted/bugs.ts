import { batchBugs } from './batch_bugs.ts'
import { callerBugs } from './caller_bugs.ts'
import { interfaceBugs } from './interface_bugs.ts'
import { meanwhileBugs } from './meanwhile_bugs.ts'
import { moneyBugs } from './money_bugs.ts'
import { safeguardBugs } from './safeguard_bugs.ts'
import { serviceBugs } from './service_bugs.ts'
import { tailBugs } from './tail_bugs.ts'
import { worldBugs } from './world_bugs.ts'

export const bugs = [
  ...moneyBugs,
  ...serviceBugs,
  ...interfaceBugs,
  ...callerBugs,
  ...safeguardBugs,
  ...batchBugs,
  ...worldBugs,
  ...tailBugs,
  ...meanwhileBugs,
]
