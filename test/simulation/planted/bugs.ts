import { callerBugs } from './caller_bugs.ts'
import { interfaceBugs } from './interface_bugs.ts'
import { moneyBugs } from './money_bugs.ts'
import { serviceBugs } from './service_bugs.ts'

export const bugs = [...moneyBugs, ...serviceBugs, ...interfaceBugs, ...callerBugs]
