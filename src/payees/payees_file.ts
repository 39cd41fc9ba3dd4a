import type { SettingsFormat } from '../config/settings.ts'
import type { Fault, Schema } from '../config/settings_schema.ts'
import { ibanFault } from '../contract/iban.ts'
import { isPhone, nationalPhone } from '../contract/phone.ts'
import { payeesFile } from '../files/directories.ts'
import { isLikeName, nameFault, type Payee } from './payee.ts'

interface Content {
  readonly payees: readonly Payee[]
}

const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }

/** Format of the payees file, which contains the saved payees of every service. */
export const payeesSettings: SettingsFormat<Content> = {
  noun: 'payees',
  fileIn: payeesFile,
  entry: 'payee',
  empty: { payees: [] },
  isForPayments: true,
  schema: {
    type: 'object',
    required: ['payees'],
    properties: {
      payees: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'service', 'holder', 'bank', 'currency', 'note', 'verified_at'],
          properties: {
            name: text,
            service: text,
            iban: text,
            phone: text,
            holder: textOrNull,
            bank: textOrNull,
            currency: textOrNull,
            note: textOrNull,
            verified_at: textOrNull,
          },
        },
      },
    },
  },
  faultIn: ({ payees }) => {
    for (const [at, payee] of payees.entries()) {
      const fault = payeeFault(payee, payees.slice(0, at))
      if (fault) return { path: ['payees', at, ...fault.path], reason: fault.reason }
    }
    return undefined
  },
}

function payeeFault(
  { name, service, iban, phone, holder, verified_at }: Payee,
  before: readonly Payee[],
): Fault | undefined {
  const bad = nameFault(name)
  if (bad) return { path: ['name'], reason: `"${name}" can't be the name of a payee: ${bad}` }
  if ((iban === undefined) === (phone === undefined)) {
    return { path: [], reason: `${name} must have one of iban and phone` }
  }
  if (iban !== undefined && ibanFault(iban) !== null)
    return { path: ['iban'], reason: `the IBAN of ${name} is not valid` }
  if (phone !== undefined && (!isPhone(phone) || nationalPhone(phone) !== phone)) {
    return { path: ['phone'], reason: `the phone of ${name} is not a national number of eight digits` }
  }
  if ((holder === null) !== (verified_at === null)) {
    return { path: ['holder'], reason: `${name} must have both holder and verified_at, or neither` }
  }
  const isTwin = before.some((other) => other.service === service && isLikeName(other.name, name))
  return isTwin ? { path: ['name'], reason: `the name ${name} is used twice` } : undefined
}
