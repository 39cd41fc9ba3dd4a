import { platform, versions } from 'node:process'
import { version } from '../../version.ts'
import { type Finding, ok } from './finding.ts'

/** What payctl runs on. That Node is new enough, bin/payctl.js has made sure of. */
export const machine: readonly Finding[] = [ok('payctl', `${version} on ${platform}`), ok('node', versions.node)]
