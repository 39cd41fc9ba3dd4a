import { type Channel, type CreditBody, type Currency, ibanFault, nationalPhone } from '../../src/contract/index.ts'
import { documentTypeOf } from '../domain/documents.ts'
import { entityOfIban } from '../domain/entities.ts'
import type { Party } from '../domain/payment.ts'
import { emulatorEntity } from '../domain/references.ts'
import { invalid } from '../domain/refusal.ts'
import { unknownSender } from '../seed.ts'
import type { Store } from '../store/store.ts'

interface Transfer {
  readonly body: CreditBody
  readonly channel: Channel
  readonly currency: Currency
}

/** Who sends money from another bank: the registry's holder of the address where it has one, else who the body says. */
export function senderOf(store: Store, { body, channel, currency }: Transfer): Party {
  const { name, document_number } = body
  const address = channel === 'pin' ? originIban(body) : originPhone(store, body)
  const entry = address === null ? undefined : store.registry.get(address)
  if (entry && entry.currency !== currency) {
    throw invalid('from_iban', `The sender’s account is in ${entry.currency}, the receiver’s in ${currency}`)
  }
  const holder = entry ?? unknownSender
  return {
    iban: channel === 'pin' ? address : null,
    phone: channel === 'pin' ? null : address,
    name: name ?? holder.name,
    document_number: document_number ?? holder.document_number,
    document_type: document_number ? documentTypeOf(document_number) : holder.document_type,
  }
}

function originIban({ from_iban }: CreditBody): string {
  if (!from_iban) return unknownSender.iban
  const fault = ibanFault(from_iban)
  if (fault?.reason === 'check digits') throw invalid('from_iban', `The check digits should be ${fault.expected}`)
  if (entityOfIban(from_iban) === emulatorEntity) throw invalid('from_iban', ownAccount)
  return from_iban
}

/** Without a phone there is none, as when upstream does not tell it. */
function originPhone({ users }: Store, { from_phone }: CreditBody): string | null {
  if (!from_phone) return null
  const phone = nationalPhone(from_phone)
  if (users.byPhone(phone)) throw invalid('from_phone', ownAccount)
  return phone
}

const ownAccount = 'The sender is a user of this sandbox: send a payment from their account instead'
